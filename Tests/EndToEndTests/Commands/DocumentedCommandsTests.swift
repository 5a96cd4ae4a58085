// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("Commands print what the documents show", .endToEnd)
struct DocumentedCommandsTests {
    /// The commands of a console's example, each with what is printed after it.
    private func dialogue(_ path: String) throws -> [(command: String, output: [String])] {
        let example = try #require(try Document(path).examples.first { $0.language == "console" })
        var dialogue: [(command: String, output: [String])] = []
        for line in example.lines {
            if line.hasPrefix("$ ") {
                dialogue.append((String(line.dropFirst(2)), []))
            } else if !dialogue.isEmpty {
                dialogue[dialogue.count - 1].output.append(line)
            }
        }
        return dialogue
    }

    private func output(_ command: String, _ environment: [String: String], _ folder: TemporaryFolder) throws
        -> [String]
    {
        let program = try #require(
            try Program.shell(command, environment: environment, folder: folder.path))
        return program.output.split(separator: "\n").map(String.init)
    }

    @Test func `pictor url, as docs/operating/signatures.md shows it`() throws {
        let folder = TemporaryFolder()
        try "an-example-key-that-nobody-may-use\n".write(
            toFile: "\(folder.path)/keys", atomically: true, encoding: .utf8)
        let dialogue = try dialogue("docs/operating/signatures.md")
        #expect(dialogue.count >= 4)
        for (command, expected) in dialogue {
            let output = try output(command, [:], folder)
            #expect(output.count == expected.count, "\(command): \(output)")
            for (line, words) in zip(output, expected) {
                // A line that is cut short for the reader ends with three dots.
                let isCut = words.hasSuffix(" …")
                #expect(isCut ? line.hasPrefix(words.dropLast(2)) : line == words, "\(command)")
            }
        }
    }

    /// Sizes and times are those of other pictures at another time.
    private func withoutSizes(_ lines: [String]) -> [String] {
        lines.map { line in
            line.replacing(/[0-9.]+ KiB/, with: "… KiB").replacing(/[0-9]+ s$/, with: "… s")
        }
    }

    @Test func `pictor cache, as docs/reference/admin.md shows it`() throws {
        let origin = ScriptedOrigin { peer in
            peer.picture(Pictures.gradient(peer.target == "/a.png" ? 60 : 80, 40), maxAge: 600)
        }
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        for name in ["a", "b"] { _ = try daemon.get(origin.url("/\(name).png"), "w=30") }
        let environment = DaemonUnderTest.trusting.merging([
            "PICTOR_ADMIN_LISTEN": "127.0.0.1:\(daemon.adminPort)",
            "PICTOR_CACHE_DIRECTORY": daemon.cache.path,
        ]) { $1 }
        let shown = "http://127.0.0.1:18290/"
        for (command, expected) in try dialogue("docs/reference/admin.md") {
            let base = origin.url("/").absolute
            let output = try output(command.replacing(shown, with: base), environment, TemporaryFolder())
            #expect(
                withoutSizes(output) == withoutSizes(expected).map { $0.replacing(shown, with: base) },
                "\(command)")
        }
    }

    @Test func `a purge by tag, as docs/reference/admin.md shows it`() throws {
        let document = try Document("docs/reference/admin.md")
        let order = try #require(document.text.firstMatch(of: /-d '([^']+)' http:\/\/127.0.0.1:8081(\S+)\n/))
        let answer = try #require(document.examples.first { $0.language == "json" })
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40), fields: ["Cache-Tag: news"]) }
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        _ = try daemon.get(origin.url(), "w=30")
        let reply = try daemon.order(String(order.2), String(order.1))
        #expect(reply.status == 200)
        #expect(reply.text.trimmingCharacters(in: .newlines) == answer.lines.joined())
    }

    @Test func `every command that a document names exists`() throws {
        var named: Set<[String]> = []
        for document in Document.all {
            let consoles = document.examples.filter { ["console", "sh"].contains($0.language) }.flatMap(
                \.lines)
            for text in document.codeSpans + consoles {
                guard let match = text.firstMatch(of: /^(?:\$ )?pictor ([a-z]+)(?: ([a-z]+))?(?= |$)/) else {
                    continue
                }
                let isGroup = ["cache", "url"].contains(match.1)
                named.insert([String(match.1)] + (isGroup ? match.2.map { [String($0)] } ?? [] : []))
            }
        }
        #expect(named.count >= 8)
        // Not for people, and without a page of help.
        for words in named where words[0] != "worker" {
            let help = try PictorCommand(["help"] + words)
            #expect(help.status == 0 && help.output.contains("USAGE: pictor \(words.joined(separator: " "))"))
        }
    }
}
