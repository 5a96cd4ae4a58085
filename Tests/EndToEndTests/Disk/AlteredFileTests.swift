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

    /// With descriptors to spare, the file is held open and was sent by its descriptor.
    @Test(arguments: [0, 512])
    func `while the daemon runs, and after it had served the file`(openFiles: Int) throws {
        let daemon = try DaemonUnderTest(["--cache-memory", "0B", "--cache-open-files", "\(openFiles)"])
        // A sweep counts what it misses otherwise than a request does.
        #expect(daemon.logLine(with: "cache swept") != nil)
        for (round, alteration) in Alteration.allCases.enumerated() {
            try alter(alteration, [round * 2, round * 2 + 1], of: daemon)
        }
        #expect(try daemon.metric("pictor_disk_keeping") == 1)
    }

    @Test(arguments: [Alteration.bitFlipped, .replaced, .replacedByPicture, .truncated])
    func `while a decoder has it`(alteration: Alteration) throws {
        let expected = try DaemonUnderTest().get(origin.url("/0"), "w=20").body
        let daemon = try DaemonUnderTest(["--decoder-processes", "1"])
        #expect(try daemon.get(origin.url("/0"), "w=30").status == 200)
        let file = try #require(daemon.cache.files(in: "originals").first)
        #expect(try daemon.get(origin.url("/1"), "w=30").status == 200)
        let other = try #require(daemon.cache.files(in: "originals").first { $0 != file })
        // One of them gets the job and does not read it yet.
        let decoders = try #require(daemon.decoders(of: 2))
        for pid in decoders { kill(pid, SIGSTOP) }
        let client = try Connection(port: daemon.port)
        try client.request(DaemonUnderTest.target(origin.url("/0"), "w=20"))
        #expect(try Patience.until { try daemon.metric("pictor_decoders_busy") == 1 })
        let folder = "\(daemon.cache.path)/originals/"
        try alteration.happen(to: folder + file, other: folder + other)
        for pid in decoders { kill(pid, SIGCONT) }
        let reply = try client.reply()
        #expect(reply.status == 200 && reply.body == expected, "\(alteration): \(reply.text.prefix(200))")
        #expect(try daemon.metric("pictor_disk_unreadable_total") == 1)
    }

    private func alter(_ alteration: Alteration, _ numbers: [Int], of daemon: DaemonUnderTest) throws {
        let folders = ["originals", "renditions"]
        let before = folders.map { Set(daemon.cache.files(in: $0)) }
        let made = try numbers.map { try daemon.get(origin.url("/\($0)"), "w=30").body }
        for number in numbers {
            let held = try daemon.get(origin.url("/\(number)"), "w=30")
            #expect(held["Cache-Status"]?.hasSuffix("detail=diskHit") == true)
        }
        let counter = "pictor_disk_\(alteration == .removed ? "vanished" : "damaged")_total"
        let count = try daemon.metric(counter)

        for (folder, known) in zip(folders, before) {
            let files = Set(daemon.cache.files(in: folder)).subtracting(known)
                .map { "\(daemon.cache.path)/\(folder)/\($0)" }
            try #require(files.count == 2)
            // Each takes the place of the other.
            let copy = TemporaryFolder()
            try FileManager.default.copyItem(atPath: files[0], toPath: copy.path + "/copy")
            try alteration.happen(to: files[0], other: files[1])
            try alteration.happen(to: files[1], other: copy.path + "/copy")
        }
        for (number, body) in zip(numbers, made) {
            let reply = try daemon.get(origin.url("/\(number)"), "w=30")
            #expect(reply.status == 200)
            #expect(reply.body == body, "\(alteration)")
            // A size that needs the original.
            #expect(try daemon.get(origin.url("/\(number)"), "w=20").status == 200)
        }
        #expect(try daemon.metric(counter) == count + 4, "\(alteration)")
    }
}
