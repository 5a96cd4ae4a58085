// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import Operator
import Settings
import TestSupport
import Testing

@Suite("Files in the repository that are derived from the tables")
struct DerivedFilesTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: Document.root.appending(path: path), encoding: .utf8)
    }

    @Test func `config/pictor.yaml is what the settings table prints`() throws {
        #expect(try text("config/pictor.yaml") == SettingsPrinter.yaml())
    }

    @Test(arguments: [
        ("settings", SettingsPrinter.markdown()), ("options", Tables.options), ("metrics", Tables.metrics),
        ("errors", Tables.errors),
    ])
    func `docs/reference holds the table`(name: String, table: String) throws {
        #expect(try Document("docs/reference/\(name).md").part(name) == table)
    }

    @Test func `docs/reference/metrics.md holds the values of the labels`() throws {
        #expect(try Document("docs/reference/metrics.md").part("labels") == Tables.labels)
    }

    @Test func `docs/internals/architecture.md draws the manifest's modules, and tells what each is for`()
        throws
    {
        let architecture = try Document("docs/internals/architecture.md")
        let diagram = try #require(try Program.run([Document.root.appending(path: "scripts/modules").path]))
        #expect(diagram.status == 0)
        #expect(architecture.part("modules") == diagram.output)
        let drawn = diagram.output.matches(of: /\n {8}(\w+)(?=\n)/).map { String($0.1) }
        let kinds = ["executable", "root", "service", "pure", "adapter", "C"]
        let told = architecture.rows.filter { $0.count == 3 && kinds.contains(where: $0[1].hasPrefix) }
            .flatMap { row in row[0].matches(of: /`(\w+)`/).map { String($0.1) } }
        #expect(drawn.count > 20)
        #expect(drawn.sorted() == told.sorted())
    }

    @Test func `docs/internals/architecture.md names every folder of every module`() throws {
        let script = Document.root.appending(path: "scripts/lint-folders").path
        let order = try #require(try Program.run([script, "--table"]))
        #expect(order.status == 0)
        // Only names are compared, because any reference from one file to another changes the order.
        func names(_ table: String) -> Set<[String]> {
            Set(
                table.split(separator: "\n").map { line in
                    line.matches(of: /`([\w\/]+)`/).map { String($0.1) }.sorted()
                })
        }
        let told = names(try #require(try Document("docs/internals/architecture.md").part("folders")))
        #expect(told.count > 10 && told == names(order.output))
    }
}
