// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// What other hands may do to a file.
enum Alteration: CaseIterable {
    case removed, truncated, emptied, grown, bitFlipped, replaced, replacedByPicture

    func happen(to path: String, other: String) throws {
        let url = URL(filePath: path)
        var data = try Data(contentsOf: url)
        switch self {
        case .removed: return try FileManager.default.removeItem(at: url)
        case .truncated: data = data.prefix(data.count / 2)
        case .emptied: data = Data()
        case .grown: data.append(contentsOf: [0, 0, 0])
        case .bitFlipped: data[data.count / 3] ^= 0x10
        case .replaced: data = Data(repeating: 7, count: data.count)
        case .replacedByPicture: data = try Data(contentsOf: URL(filePath: other))
        }
        // In place, as a failing disk would.
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: data)
        try file.close()
    }
}

@Suite("A file altered behind our back is a miss and never an answer", .endToEnd)
struct AlteredFileTests {
    private let origin = ScriptedOrigin.pictures()

    @Test(arguments: Alteration.allCases)
    func `while the daemon runs, and after it had served the file`(alteration: Alteration) throws {
        let daemon = try DaemonUnderTest(["--cache-memory", "0B", "--cache-open-files", "0"])
        let made = try [1, 2].map { try daemon.get(origin.url("/\($0)"), "w=30").body }
        let held = try daemon.get(origin.url("/1"), "w=30")
        #expect(held["Cache-Status"]?.hasSuffix("detail=diskHit") == true)
        for folder in ["originals", "renditions"] {
            let files = daemon.cache.files(in: folder).map { "\(daemon.cache.path)/\(folder)/\($0)" }
            #expect(files.count == 2)
            // Each takes the place of the other.
            let contents = try Data(contentsOf: URL(filePath: files[0]))
            let copy = TemporaryFolder()
            try contents.write(to: URL(filePath: copy.path + "/copy"))
            try alteration.happen(to: files[0], other: files[1])
            try alteration.happen(to: files[1], other: copy.path + "/copy")
        }
        for number in 0..<2 {
            let reply = try daemon.get(origin.url("/\(number + 1)"), "w=30")
            #expect(reply.status == 200)
            #expect(reply.body == made[number])
            // A size that needs the original.
            #expect(try daemon.get(origin.url("/\(number + 1)"), "w=20").status == 200)
        }
        let counted = alteration == .removed ? "vanished" : "damaged"
        #expect(try daemon.metric("pictor_disk_\(counted)_total") >= 4)
        #expect(try daemon.metric("pictor_disk_keeping") == 1)
    }
}
