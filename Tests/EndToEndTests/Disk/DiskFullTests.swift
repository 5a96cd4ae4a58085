// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("A full disk costs the keeping and not the answer", .endToEnd)
struct DiskFullTests {
    private let origin = ScriptedOrigin.pictures()

    @Test
    func `where nothing more can be written every picture is served, and kept again when there is room`()
        throws
    {
        guard let disk = SmallDisk(bytes: 8 << 20) else {
            try Test.cancel("Mounting is not allowed here; the next test needs no disk of its own.")
        }
        let daemon = try DaemonUnderTest(["--cache-minimum-free", "0%"], cache: disk.folder)
        // The cache holds nothing that it could give up.
        disk.fill()
        #expect(disk.free == 0)
        for number in 1..<8 {
            let first = try daemon.get(origin.url("/\(number)"), "w=30")
            #expect(first.status == 200, "\(first.text)")
            let again = try daemon.get(origin.url("/\(number)"), "w=30")
            #expect(again.body == first.body)
            #expect(again["Cache-Status"]?.hasSuffix("detail=memoryHit") == true)
        }
        #expect(try daemon.metric("pictor_disk_write_errors_total") >= 7)
        #expect(try daemon.saysTrouble("No space left on device"))

        disk.empty()
        #expect(try daemon.saysRecovery())
        #expect(daemon.logLine(with: "keeps new pictures again") != nil)
        let before = try daemon.entries("rendition")
        #expect(try daemon.get(origin.url("/20"), "w=30").status == 200)
        #expect(try daemon.entries("rendition") == before + 1)
        #expect(daemon.stop() == 0)
    }

    @Test func `a cache that has filled the disk by itself gives up old pictures for new ones`() throws {
        guard let disk = SmallDisk(bytes: 5 << 20) else {
            try Test.cancel("Mounting is not allowed here; DiskSpaceTests promise it of the store.")
        }
        let daemon = try DaemonUnderTest(
            ["--cache-minimum-free", "0%", "--cache-memory", "0B"], cache: disk.folder)
        // Some 40 KB each, and the row of each original is a small one.
        for number in 0..<130 { #expect(try daemon.get(origin.url("/\(number)"), "w=30").status == 200) }
        #expect(try Patience.until { try daemon.metric("pictor_disk_evictions_total") > 0 })
        // A picture that the full disk refuses makes room for the next ones.
        var (number, hits) = (130, 0)
        let keepsNew = try Patience.until {
            let first = try daemon.get(origin.url("/\(number)"), "w=30")
            let again = try daemon.get(origin.url("/\(number)"), "w=30")
            #expect(first.status == 200 && again.body == first.body)
            if again["Cache-Status"]?.hasSuffix("detail=diskHit") == true { hits += 1 }
            number += 1
            return hits >= 10
        }
        #expect(keepsNew)
    }

    @Test func `below the minimum free nothing is kept, and everything is served`() throws {
        let daemon = try DaemonUnderTest(["--cache-minimum-free", "1000TiB"])
        for number in 0..<3 {
            let first = try daemon.get(origin.url("/\(number)"), "w=30")
            #expect(first.status == 200 && first["Cache-Status"]?.contains(";stored") == false)
            let again = try daemon.get(origin.url("/\(number)"), "w=30")
            #expect(again["Cache-Status"]?.hasSuffix("detail=memoryHit") == true)
        }
        #expect(try daemon.entries("rendition") == 0)
        #expect(try daemon.saysTrouble("less than its minimum free"))
        #expect(daemon.cache.files(in: "renditions").isEmpty)
    }

    @Test func `where inodes are scarce the oldest pictures leave, and new ones still come`() throws {
        // 520 are the folders and the index.
        guard let disk = SmallDisk(bytes: 64 << 20, inodes: 620) else {
            try Test.cancel("Mounting is not allowed here; DiskSpaceTests promise it of the store.")
        }
        let daemon = try DaemonUnderTest(
            ["--cache-minimum-free", "3%", "--cache-memory", "0B"], cache: disk.folder)
        for number in 0..<120 { #expect(try daemon.get(origin.url("/\(number)"), "w=60").status == 200) }
        #expect(try Patience.until { try daemon.metric("pictor_disk_evictions_total") > 0 })
        #expect(Patience.until { disk.freeInodes >= 18 })
        #expect(try daemon.saysRecovery())
        for number in 200..<203 {
            let reply = try daemon.get(origin.url("/\(number)"), "w=60")
            let again = try daemon.get(origin.url("/\(number)"), "w=60")
            #expect(again["Cache-Status"]?.hasSuffix("detail=diskHit") == true && again.body == reply.body)
        }
    }

    @Test func `what others need of the disk is given back, and new pictures still come`() throws {
        guard let disk = SmallDisk(bytes: 16 << 20) else {
            try Test.cancel("Mounting is not allowed here; DiskSpaceTests promise it of the store.")
        }
        let daemon = try DaemonUnderTest(
            ["--cache-minimum-free", "4MiB", "--cache-memory", "0B"], cache: disk.folder)
        for number in 0..<40 { #expect(try daemon.get(origin.url("/\(number)"), "w=60").status == 200) }
        disk.fill(leaving: 3 << 20)
        #expect(Patience.until { disk.free >= 4 << 20 })
        // They are counted when the last file of them is gone.
        #expect(try Patience.until { try daemon.metric("pictor_disk_evictions_total") > 0 })
        #expect(try daemon.metric("pictor_disk_keeping") == 1)
        let before = try daemon.entries("rendition")
        #expect(try daemon.get(origin.url("/99"), "w=60").status == 200)
        #expect(try daemon.entries("rendition") >= before)
        #expect(try daemon.metric("pictor_disk_write_errors_total") == 0)
    }
}
