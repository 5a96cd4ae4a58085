// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("What the cache holds is its owner's alone", .endToEnd)
struct PrivateCacheTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    /// What others than the owner may do with anything in the cache, by its path; nothing is the aim.
    private func open(_ cache: TemporaryFolder) -> [String: String] {
        let names = FileManager.default.enumerator(atPath: cache.path)?.compactMap { $0 as? String } ?? []
        return Dictionary(
            uniqueKeysWithValues: (names + ["."]).compactMap { name in
                let attributes = try? FileManager.default.attributesOfItem(atPath: "\(cache.path)/\(name)")
                let mode = attributes?[.posixPermissions] as? Int ?? 0
                return mode & 0o077 == 0 ? nil : (name, String(mode, radix: 8))
            })
    }

    private func chmod(_ mode: Int, _ paths: String..., in cache: TemporaryFolder) throws {
        for path in paths {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: "\(cache.path)/\(path)")
        }
    }

    @Test func `whatever the umask, and although an earlier one left it open`() throws {
        let before = umask(0)
        defer { umask(before) }
        let cache = TemporaryFolder()
        for round in 1...2 {
            let daemon = try DaemonUnderTest(cache: cache)
            #expect(try daemon.get(origin.url(), "w=\(29 + round)").status == 200)
            #expect(Patience.until { !cache.files(in: "renditions").isEmpty })
            #expect(open(cache).isEmpty, "\(open(cache))")
            #expect(cache.files(in: ".").contains("index.sqlite-wal"))
            daemon.kill()
            // As a node with a shared store leaves it.
            try Data().write(to: URL(filePath: "\(cache.path)/shared-purges"))
            try chmod(0o755, ".", "originals", "renditions", "incoming", in: cache)
            try chmod(
                0o644, "index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "lock", "shared-purges",
                in: cache)
        }
    }

    @Test func `a folder that holds other things stays as it is; ours in it are closed`() throws {
        let cache = TemporaryFolder()
        try Data().write(to: URL(filePath: "\(cache.path)/somebody-elses"))
        try chmod(0o755, ".", in: cache)
        try chmod(0o644, "somebody-elses", in: cache)
        let daemon = try DaemonUnderTest(cache: cache)
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        #expect(open(cache) == [".": "755", "somebody-elses": "644"])
    }
}
