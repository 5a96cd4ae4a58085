// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// What may have become of an index (https://sqlite.org/fileformat2.html: pages of 4 KiB, the header in the first;
/// application id at 68, user version at 60, both big-endian).
enum IndexFault: CaseIterable {
    case headerGarbage, truncated, emptied, pageZeroed, otherApplication, laterVersion

    func happen(to path: String) throws {
        let url = URL(filePath: path)
        var data = try Data(contentsOf: url)
        switch self {
        case .headerGarbage: data.replaceSubrange(0..<100, with: Data(repeating: 0xA5, count: 100))
        case .truncated: data = data.prefix(5_000)
        case .emptied: data = Data()
        // Every page but the first, so that it is one that is wanted whatever the layout.
        case .pageZeroed: data.replaceSubrange(4_096..<data.count, with: Data(count: data.count - 4_096))
        case .otherApplication: data[68] ^= 0xFF
        case .laterVersion: data[60] += 1
        }
        try data.write(to: url)
    }
}

@Suite("A damaged index is set aside and made anew", .endToEnd)
struct DamagedIndexTests {
    private let origin = ScriptedOrigin.pictures()

    @Test(arguments: IndexFault.allCases)
    func `pictures are served, and renditions found again by their files`(fault: IndexFault) throws {
        let cache = TemporaryFolder()
        let first = try DaemonUnderTest(cache: cache)
        let made = try (0..<5).map { try first.get(origin.url("/\($0)"), "w=30").body }
        #expect(first.stop() == 0)
        try fault.happen(to: "\(cache.path)/index.sqlite")

        let second = try DaemonUnderTest(cache: cache)
        #expect(second.logLine(with: "cache swept") != nil)
        #expect(try second.entries("rendition") == 5)
        for number in 0..<5 { #expect(try second.get(origin.url("/\(number)"), "w=30").body == made[number]) }
        #expect(try second.metric("pictor_renders_total") == 0)
        #expect(try second.admin("/health/ready").text == "ready\n")
        // An empty file is a new index and no damage.
        if fault != .emptied {
            #expect(second.logLine(with: "index was damaged") != nil)
            #expect(FileManager.default.fileExists(atPath: "\(cache.path)/index.sqlite.damaged"))
        }
        #expect(second.stop() == 0)
        let index = try CacheIndex(cache)
        #expect(try index.names(in: "originals").count == 5)
    }
}
