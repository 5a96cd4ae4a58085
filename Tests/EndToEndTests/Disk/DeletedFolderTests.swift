// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("A cache folder deleted or replaced under the daemon costs time and nothing else", .endToEnd)
struct DeletedFolderTests {
    private let origin = ScriptedOrigin.pictures()

    /// What happens to a folder.
    enum Fate: CaseIterable {
        case deleted, replacedByEmpty, originalsDeleted, indexDeleted, logDeleted, sharedMemoryDeleted

        func happen(to cache: TemporaryFolder) throws {
            let manager = FileManager.default
            switch self {
            case .deleted, .replacedByEmpty:
                // Renamed first, because the daemon does not wait for the last file to go.
                try manager.moveItem(atPath: cache.path, toPath: cache.path + "-aside")
                if self == .replacedByEmpty {
                    try? manager.createDirectory(atPath: cache.path, withIntermediateDirectories: false)
                }
                try manager.removeItem(atPath: cache.path + "-aside")
            case .originalsDeleted:
                try manager.moveItem(atPath: cache.path + "/originals", toPath: cache.path + "/aside")
                try manager.removeItem(atPath: cache.path + "/aside")
            case .indexDeleted: try manager.removeItem(atPath: cache.path + "/index.sqlite")
            case .logDeleted: try manager.removeItem(atPath: cache.path + "/index.sqlite-wal")
            case .sharedMemoryDeleted: try manager.removeItem(atPath: cache.path + "/index.sqlite-shm")
            }
        }

        /// Renditions that are still there.
        var survivors: Int { [.deleted, .replacedByEmpty].contains(self) ? 0 : 3 }
    }

    @Test(arguments: Fate.allCases)
    func `it is opened anew, and keeps what comes`(fate: Fate) throws {
        let daemon = try DaemonUnderTest(["--cache-memory", "0B", "--cache-open-files", "0"])
        let made = try (0..<3).map { try daemon.get(origin.url("/\($0)"), "w=30").body }
        #expect(daemon.logLine(with: "cache swept") != nil)
        try fate.happen(to: daemon.cache)
        // At once, in whatever state it is.
        for number in 0..<3 { #expect(try daemon.get(origin.url("/\(number)"), "w=30").body == made[number]) }
        #expect(try Patience.until { try daemon.metric("pictor_disk_reopened_total") == 1 })
        #expect(daemon.logLine(with: "opened anew", "replaced") != nil)
        #expect(try daemon.saysRecovery())
        #expect(try Patience.until { try daemon.entries("rendition") >= fate.survivors })
        // Until then an original may yet lose its row for want of its file.
        #expect(Patience.until { daemon.log.count { $0.contains("cache swept") } >= 2 })
        for number in 0..<3 { #expect(try daemon.get(origin.url("/\(number)"), "w=30").body == made[number]) }
        let last = try daemon.get(origin.url("/2"), "w=30")
        #expect(last["Cache-Status"]?.hasSuffix("detail=diskHit") == true)
        #expect(try daemon.entries("rendition") == 3)
        #expect(daemon.stop() == 0)
        let files = Set(daemon.cache.files(in: "renditions").map { String($0.suffix(64)) })
        #expect(try CacheIndex(daemon.cache).names(in: "renditions") == files)
    }
}
