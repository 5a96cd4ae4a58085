// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("The manual page says what the program and its documents say", .endToEnd)
struct ManualTests {
    private func page() throws -> String {
        let line = "'\(Document.root.path)/scripts/manual' pictor 1.2.3 2026-01-31"
        let made = try #require(try Program.shell(line, folder: Document.root.path))
        try #require(made.status == 0, "\(made.output)")
        return made.output
    }

    @Test func `each exit status of the reference is in it, also one that is a sum`() throws {
        let page = try page()
        let document = try Document("docs/reference/commands.md")
        let rows = document.text.split(separator: "\n").drop { !$0.hasPrefix("| Exit status |") }
            .dropFirst(2).prefix { $0.hasPrefix("|") }
        try #require(rows.count > 4)
        let section = try #require(page.firstRange(of: ".SH EXIT STATUS\n"))
        let statuses = page[section.upperBound...].split(separator: "\n.TP\n").map {
            $0.split(separator: "\n")[0].replacing(".TP", with: "")
        }
        #expect(statuses.count == rows.count, "\(statuses)")
        #expect(page.contains(".TP\n128 + \\fIn\\fR\n\\fBpictor top\\fR was ended by the signal \\fIn\\fR; "))
        #expect(
            page.contains(".TP\n70\n\\fBpictor serve\\fR ended itself because fetching stood still for good"))
        #expect(!page[section.upperBound...].contains { "`*[]|".contains($0) }, "no Markdown is left")
    }

    @Test func `each command has a row in the reference`() throws {
        let commands = try page().matches(of: /\n\.SS "pictor ([a-z]+)"\n/).map { String($0.1) }
        try #require(commands.count > 10)
        let rows = try Document("docs/reference/commands.md").rows.drop { $0 != ["Command", "What it does"] }
        let told = rows.dropFirst().prefix(commands.count).map { $0[0].filter { $0 != "`" } }
        #expect(told == commands)
    }

    // Not everywhere, as in small images of CI.
    @Test(.enabled(if: Program.isInstalled("groff"), "groff is not installed"))
    func `groff reads it without a complaint`() throws {
        let folder = TemporaryFolder()
        let file = folder.path + "/pictor.1"
        try page().write(toFile: file, atomically: true, encoding: .utf8)
        let command = ["groff", "-K", "utf8", "-man", "-Tutf8", "-ww", "-z", file]
        let read = try #require(try Program.run(command))
        #expect(read.status == 0 && read.output.isEmpty, "\(read.output)")
    }
}
