// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import TestSupport
import Testing

@Suite("Whatever stands in a picture, its client gets a clear answer, and the others theirs", .endToEnd)
struct HostilePictureTests {
    private static let picture = Pictures.gradient(120, 80)

    private func refusal(_ reply: Connection.Reply) throws -> Refusal {
        try JSONDecoder().decode(Refusal.self, from: Data(reply.body))
    }

    @Test func `what is no picture, or too much of one, is refused with the reason`() throws {
        let jpegs = ScriptedOrigin { $0.picture(Self.picture) }
        let daemon = try DaemonUnderTest()
        let jpeg = try daemon.get(jpegs.url(), "output=jpg&q=95").body
        #expect(try ImageHeader.parse(jpeg).format == .jpeg)
        var pair = jpeg
        let frame = try #require(jpeg.firstRange(of: [0xFF, 0xC0])).lowerBound
        // The components, behind the marker, the length, the bits and the sides.
        pair[frame + 9] = 2
        let gzip: [UInt8] = [0x1F, 0x8B, 8, 0] + [UInt8](repeating: 0x41, count: 181)
        let table: [(name: String, bytes: [UInt8], status: Int, error: String)] = [
            ("half a JPEG", Array(jpeg.prefix(jpeg.count / 2)), 422, "damaged_image"),
            ("the head of a JPEG", Array(jpeg.prefix(100)), 422, "damaged_image"),
            ("a JPEG of two components", pair, 415, "coding_not_read"),
            ("half a PNG", Array(Self.picture.prefix(Self.picture.count / 2)), 422, "damaged_image"),
            ("a PNG of 64k × 64k", Pictures.claiming(width: 65_536, height: 65_536), 413, "too_many_pixels"),
            ("a PNG without pixels", Pictures.claiming(width: 100, height: 100), 422, "damaged_image"),
            ("a PNG of no width", Pictures.claiming(width: 0, height: 100), 422, "damaged_image"),
            ("a text", Array("Once upon a time".utf8), 415, "not_an_image"),
            ("a page", Array("<!DOCTYPE html><title>Not here</title>".utf8), 415, "not_an_image"),
            ("185 bytes of gzip", gzip, 415, "not_an_image"),
            ("nothing", [], 415, "not_an_image"),
            ("a drawing", Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), 415, "format_not_allowed"),
            ("a document", Array("%PDF-1.7\n".utf8), 415, "format_not_allowed"),
        ]
        let files = table.map(\.bytes)
        let origin = ScriptedOrigin { peer in
            peer.picture(files[Int(peer.target.dropFirst()) ?? 0])
        }
        let clients = try table.indices.map { index in
            let connection = try Connection(port: daemon.port)
            try connection.request(DaemonUnderTest.target(origin.url("/\(index)"), "w=30"))
            return connection
        }
        for width in 1...10 { #expect(try daemon.get(jpegs.url(), "w=\(width)").status == 200) }
        for (row, client) in zip(table, clients) {
            let reply = try client.reply()
            let error = try refusal(reply)
            #expect(reply.status == row.status, "\(row.name): \(reply.text)")
            #expect(error.error == row.error, "\(row.name): \(reply.text)")
            #expect(reply["Cache-Control"] == "public, max-age=60", "\(row.name)")
        }
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 0)
        #expect(try daemon.get(jpegs.url(), "w=11").status == 200)
    }

    // MARK: Decoders that hang and die

    /// An encoding that goes on for many seconds.
    private static let slow = ["--encoder-avif-effort", "9"]
    private static let large = Pictures.noise(800, 800)

    @Test func `a decoder that crashes in mid-job costs one answer and one process`() throws {
        let origin = ScriptedOrigin { peer in
            peer.picture(peer.target == "/large" ? Self.large : Self.picture)
        }
        let daemon = try DaemonUnderTest(Self.slow + ["--decoder-timeout", "5m"])
        #expect(try daemon.get(origin.url("/small"), "w=9").status == 200)
        let victim = try Connection(port: daemon.port)
        try victim.request(DaemonUnderTest.target(origin.url("/large"), "output=avif"))
        let pid = try #require(try busyDecoder(of: daemon))
        #expect(try daemon.get(origin.url("/small"), "w=10").status == 200, "while the other one works")
        kill(pid, SIGSEGV)

        let reply = try victim.reply()
        #expect(reply.status == 422)
        #expect(try refusal(reply).error == "damaged_image")
        #expect(daemon.logLine(with: "decoder ended", "\"\(pid)\"", "crashed") != nil)
        for width in 11...20 { #expect(try daemon.get(origin.url("/small"), "w=\(width)").status == 200) }
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 1)
        #expect(try Patience.until { try daemon.metric("pictor_decoder_restarts_total") == 1 })
        #expect(try daemon.admin("/health/ready").status == 200)
    }

    @Test func `a picture that takes too long is given up at its deadline`() throws {
        let origin = ScriptedOrigin { peer in
            peer.picture(peer.target == "/large" ? Self.large : Self.picture)
        }
        // Of many decoders each has a small share of the machine, so that a busy machine is no excuse for the picture.
        let daemon = try DaemonUnderTest(
            Self.slow + ["--decoder-timeout", "2s", "--decoder-processes", "8"])
        let victim = try Connection(port: daemon.port)
        try victim.request(DaemonUnderTest.target(origin.url("/large"), "output=avif"))
        // Jobs to which the machine gave no time.
        var heldUp = 0
        func small(_ width: Int) throws {
            let (reply, jobs) = try daemon.late(origin.url("/small"), "w=\(width)")
            #expect(reply.status == 200, "\(reply.text)")
            heldUp += jobs - 1
        }
        for width in 11...20 { try small(width) }
        let late = try daemon.late(origin.url("/large"), "output=avif", first: victim.reply())
        #expect(late.reply.status == 504)
        #expect(try refusal(late.reply).error == "decoder_timeout")
        #expect(try daemon.metric("pictor_decoder_timeouts_total") == late.jobs + heldUp)
        try small(21)
    }

    @Test func `a job that nobody waits for any more is ended`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.large) }
        let daemon = try DaemonUnderTest(Self.slow + ["--decoder-timeout", "5m"])
        let client = try Connection(port: daemon.port)
        try client.request(DaemonUnderTest.target(origin.url(), "output=avif"))
        #expect(try Patience.until { try daemon.metric("pictor_decoders_busy") == 1 })
        client.close()
        #expect(try Patience.until { try daemon.metric("pictor_decoders_busy") == 0 })
        #expect(try daemon.metric("pictor_decoder_timeouts_total") == 0)
    }

    /// The decoder whose processor time grows: more than a tenth of a second since the first look.
    private func busyDecoder(of daemon: DaemonUnderTest) throws -> Int32? {
        guard try Patience.until({ try daemon.metric("pictor_decoders_busy") == 1 }) else { return nil }
        let decoders = try #require(daemon.decoders(of: 3))
        let start = Dictionary(decoders.map { ($0, Self.processorTime($0)) }) { $1 }
        var busy: Int32?
        _ = Patience.until {
            busy = start.first { Self.processorTime($0.key) > $0.value + 10 }?.key
            return busy != nil
        }
        return busy
    }

    /// In ticks of 10 ms (proc(5), stat).
    private static func processorTime(_ pid: Int32) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return 0 }
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12 else { return 0 }
        return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
    }
}
