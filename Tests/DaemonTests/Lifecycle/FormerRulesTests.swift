// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
import Foundation
import Logging
import Origin
import Settings
import SettingsSupport
import TestSupport
import Testing

@Suite("A folder of the cache that is opened while the daemon runs")
struct FormerRulesTests: SettingsSuite {
    private let folder = TemporaryFolder()
    private var file: URL { URL(filePath: folder.path + "/origin-rules") }

    private func rules(_ yaml: String) throws -> OriginRules {
        try OriginRules(load(yaml: yaml))
    }

    private func former() -> FormerRules {
        FormerRules(folder: folder.path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private var written: Set<OriginRules> {
        get throws { try JSONDecoder().decode(Set<OriginRules>.self, from: Data(contentsOf: file)) }
    }

    /// The file of another folder, whose originals were fetched under these rules.
    private func elsewhere(_ rules: OriginRules) async throws -> Data {
        await former().note(rules)
        defer { try? FileManager.default.removeItem(at: file) }
        return try Data(contentsOf: file)
    }

    private var usual: OriginRules { get throws { try rules("log:\n  level: info\n") } }
    private var closed: OriginRules { get throws { try rules("origin:\n  deny-networks: [10.0.0.0/8]\n") } }

    @Test func `is in no doubt where it is new, and gets the rules in force`() async throws {
        let here = former()
        await here.note(try closed)
        try FileManager.default.removeItem(at: file)
        #expect(!here.doubtOpened())
        #expect(try written == [closed])
    }

    @Test func `is in doubt where it has come by rules that are no longer in force, and keeps them`()
        async throws
    {
        let other = try await elsewhere(usual)
        let here = former()
        await here.note(try closed)
        try other.write(to: file)
        #expect(here.doubtOpened())
        #expect(try written == [usual, closed])
    }

    @Test func `keeps its rules where others are noted before it is opened`() async throws {
        let other = try await elsewhere(usual)
        let here = former()
        await here.note(try closed)
        // Another file replaces the former one.
        try other.write(to: file, options: .atomic)
        let next = try rules("origin:\n  deny-networks: [10.0.0.0/8, 192.0.2.0/24]\n")
        await here.note(next)
        #expect(try written == [usual, closed, next])
        #expect(here.doubtOpened())
    }

    @Test func `is in doubt where its rules cannot be read`() async throws {
        let here = former()
        await here.note(try usual)
        try Data("nothing that can be read".utf8).write(to: file)
        #expect(here.doubtOpened())
    }

    @Test func `is in no doubt where its rules let less come than those in force`() async throws {
        let other = try await elsewhere(closed)
        let here = former()
        await here.note(try usual)
        try other.write(to: file)
        #expect(!here.doubtOpened())
        #expect(try written == [usual])
    }
}
