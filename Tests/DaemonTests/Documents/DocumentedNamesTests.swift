// SPDX-License-Identifier: Apache-2.0

@testable import Answers
@testable import Endpoints
import Foundation
import HTTP1
@testable import Operator
import Pipeline
@testable import RequestGrammar
@testable import Settings
import Telemetry
import TestSupport
import Testing

@Suite("What the documents name exists")
struct DocumentedNamesTests {
    @Test(arguments: Document.all)
    func `a setting, and the value beside it`(document: Document) {
        let groups = Set(Setting.groups.map(\.name))
        for span in document.codeSpans {
            guard let match = span.wholeMatch(of: /([a-z]+)\.([a-z0-9-]+)(?:: (.+))?/),
                groups.contains(String(match.1)), match.2 != "md"
            else { continue }
            guard let setting = Setting.table.first(where: { $0.key == "\(match.1).\(match.2)" }) else {
                Issue.record("\(document): there is no setting \(span)")
                continue
            }
            var settings = Settings()
            if let value = match.3 {
                #expect(setting.read(String(value), &settings), "\(document): \(span)")
            }
        }
    }

    @Test(arguments: Document.all)
    func `a variable of the environment`(document: Document) {
        let known = Set(Setting.table.map(\.variable) + [SettingsLoader.configurationVariable])
        for match in document.text.matches(of: /PICTOR_[A-Z0-9_]+/) {
            #expect(known.contains(String(match.0)), "\(document): \(match.0)")
        }
    }

    @Test(arguments: Document.all)
    func `a metric`(document: Document) {
        let rows = Tables.metricRows
        let buckets = rows.filter { $0.kind == .histogram }.map { $0.name + "_bucket" }
        let known = Set(rows.map(\.name) + buckets)
        for match in document.text.matches(of: /\bpictor_[a-z_]+/) {
            #expect(known.contains(String(match.0)), "\(document): \(match.0)")
        }
    }

    @Test(arguments: Document.all)
    func `a file of the repository`(document: Document) {
        let folders = ["scripts/", "Benchmarks/", "systemd/", "config/", "Tests/", "Sources/", ".ci/"]
        for match in document.text.matches(of: /[A-Za-z0-9_.\/<>-]+/) {
            var path = String(match.0)
            while path.hasPrefix("../") { path.removeFirst(3) }
            while path.hasSuffix(".") || path.hasSuffix("/") { path.removeLast() }
            guard folders.contains(where: path.hasPrefix) else { continue }
            let file = Document.root.appending(path: path).path
            #expect(FileManager.default.fileExists(atPath: file), "\(document): \(path)")
        }
    }

    @Test(arguments: Document.all)
    func `a file of the sources`(document: Document) {
        let sources = FileManager.default.enumerator(atPath: Document.root.appending(path: "Sources").path)
        let files = (sources?.allObjects as? [String] ?? []).map { "/\($0)" }
        for span in document.codeSpans where span.hasSuffix(".swift") && span != "Package.swift" {
            #expect(files.contains { $0.hasSuffix("/\(span)") }, "\(document): \(span)")
        }
    }

    @Test func `docs/glossary.md has every outcome and every dialect`() throws {
        let glossary = try Document("docs/glossary.md")
        let words = Set(glossary.rows.map { $0[0].filter { $0 != "`" } })
        for outcome in Outcome.allCases { #expect(words.contains(outcome.rawValue)) }
        for dialect in DialectName.allCases { #expect(glossary.codeSpans.contains(dialect.rawValue)) }
    }

    @Test func `docs/reference/settings.md has every setting that must not be left empty, and no other`()
        throws
    {
        let text = try Document("docs/reference/settings.md").text
        let section = text.components(separatedBy: "## Empty values\n").last?
            .components(separatedBy: "\n## ").first
        let named = try #require(section).split(separator: "\n").filter { $0.hasPrefix("- `") }
            .flatMap { line in line.matches(of: /`([a-z0-9.-]+)`/).map { String($0.1) } }
        #expect(named.sorted() == Setting.table.filter(\.isGuard).map(\.key).sorted())
    }

    @Test func `docs/reference/admin.md has every order and every look of the admin listener`() throws {
        let folder = Document.root.appending(path: "Sources/Endpoints/Admin")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        let texts = try paths.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
        let routes = texts.flatMap { text in
            text.matches(of: /\.(get|post)\("(\/[a-z\/]+)"/).map { "\($0.1.uppercased()) \($0.2)" }
        }
        let tasks = MaintenanceTask.allCases.map { "POST /admin/\($0.rawValue)" }
        let told = try Document("docs/reference/admin.md").rows.flatMap { row in
            row[0].matches(of: /`((?:GET|POST) [^`]+)`/).map { String($0.1) }
        }
        #expect(routes.count >= 8)
        let page = ["GET \(DashboardRoutes.path)"]
        #expect(told.sorted() == (routes + tasks + page).sorted())
    }

    // MARK: Errors

    private struct Failure: Hashable, Comparable, CustomStringConvertible {
        let status: Int
        let code: String

        var description: String { "\(status) \(code)" }
        static func < (a: Failure, b: Failure) -> Bool { a.description < b.description }
    }

    /// Every failure that clients can get.
    private static let told: Set<Failure> = {
        let statuses = (100...599).map { PipelineFailure.Reason.originStatus($0, retryAfter: nil) }
        let responses =
            (PipelineFailure.Reason.examples + statuses).map { ErrorResponse($0) }
            + MessageError.allCases.map { ErrorResponse($0) }
            + RefusalKind.allCases.map { ErrorResponse($0, "") }
        return Set(responses.map { Failure(status: $0.status, code: $0.code) })
    }()

    @Test func `docs/reference/errors.md has every error, each with its status, and no other`() throws {
        let rows = try Document("docs/reference/errors.md").rows.filter { $0.count == 3 }
        let documented = rows.compactMap { row in
            Int(row[0]).map { Failure(status: $0, code: row[1].filter { $0 != "`" }) }
        }
        #expect(Self.told.count > 50)
        #expect(documented.sorted() == Self.told.sorted())
        #expect(rows.allSatisfy { !$0[2].isEmpty })
    }

    @Test(arguments: Document.all)
    func `an error, wherever it is named with its status`(document: Document) {
        for span in document.codeSpans {
            guard let match = span.wholeMatch(of: /([4-5]\d\d) ([a-z_]+)/), let status = Int(match.1) else {
                continue
            }
            #expect(
                Self.told.contains(Failure(status: status, code: String(match.2))), "\(document): \(span)")
        }
    }
}
