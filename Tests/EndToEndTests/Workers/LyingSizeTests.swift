// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("A picture whose file codes more pixels than it says", .endToEnd, .timeLimit(.minutes(3)))
struct LyingSizeTests {
    private static let log = [
        "--log-level", "debug", "--decoder-processes", "1", "--decoder-recycle-after", "1000000",
    ]

    /// AVIF, flat: some KiB however large it is.
    private static func avif(_ width: Int, _ height: Int) throws -> [UInt8] {
        let daemon = try DaemonUnderTest(["--encoder-avif-maximum-pixels", "100000000"])
        let origin = ScriptedOrigin { $0.picture(Pictures.dense(width, height)) }
        let reply = try daemon.get(origin.url(), "output=avif")
        try #require(reply.status == 200, "\(reply.text)")
        return reply.body
    }

    /// The picture, with a size of 24 × 16 in `ispe`.
    private static func claiming(_ avif: [UInt8]) throws -> [UInt8] {
        var avif = avif
        let name = try #require(avif.firstRange(of: Array("ispe".utf8)))
        // Cannot trap: version and flags, then the sides.
        avif.replaceSubrange(
            (name.upperBound + 4)..<(name.upperBound + 12), with: [0, 0, 0, 24, 0, 0, 0, 16])
        return avif
    }

    /// Prices and peaks of all jobs, in bytes.
    private static func measures(_ daemon: DaemonUnderTest, _ count: Int) throws -> [(price: Int, peak: Int)]
    {
        var lines: [String] = []
        try #require(
            Patience.until {
                lines = daemon.log.filter { $0.contains("\"decoder measured\"") }
                return lines.count == count
            })
        return try lines.map { line in
            let price = line.firstMatch(of: /"price":"([0-9]+)"/).flatMap { Int($0.1) }
            let peak = line.firstMatch(of: /"peak":"([0-9]+)"/).flatMap { Int($0.1) }
            return (try #require(price), try #require(peak))
        }
    }

    @Test func `is priced by what it codes, and refused`() throws {
        let large = try Self.avif(4_000, 3_900)
        let lying = try Self.claiming(large)
        #expect(lying.count < 64 << 10)
        let origin = ScriptedOrigin { $0.picture($0.target == "/large" ? large : lying) }
        let daemon = try DaemonUnderTest(Self.log)
        let reply = try daemon.get(origin.url("/lying"), "w=10")
        #expect(reply.status == 422 && reply.text.contains("damaged_image"), "\(reply.text)")
        #expect(try daemon.get(origin.url("/large"), "w=10").status == 200)
        let measures = try Self.measures(daemon, 2)
        for measure in measures { #expect(measure.peak <= measure.price, "\(measures)") }
        #expect(try daemon.metric("pictor_decoder_price_exceeded_total") == 0)
    }

    @Test func `is held to the most pixels by those that it codes`() throws {
        let large = try Self.avif(2_000, 1_500)
        let (lying, parted) = (try Self.claiming(large), try Self.parted(large))
        let origin = ScriptedOrigin {
            $0.picture($0.target == "/large" ? large : $0.target == "/lying" ? lying : parted)
        }
        let daemon = try DaemonUnderTest(["--decoder-maximum-pixels", "2000000", "--log-level", "debug"])
        for target in ["/large", "/lying", "/parted"] {
            let reply = try daemon.get(origin.url(target), "w=10")
            #expect(reply.status == 413 && reply.text.contains("too_many_pixels"), "\(reply.text)")
        }
        #expect(!daemon.log.contains { $0.contains("decoder measured") })
    }

    /// The item's bytes in two parts, of which the first has no header.
    private static func parted(_ avif: [UInt8]) throws -> [UInt8] {
        func number(_ value: Int) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            number(content.count + 8) + Array(type.utf8) + content
        }
        let mdat = try #require(avif.firstRange(of: Array("mdat".utf8)))
        let data = Array(avif[mdat.upperBound...])
        // A temporal delimiter, in front of what begins with one.
        try #require(data.prefix(2) == [0x12, 0])
        let start = try #require(avif.firstRange(of: Array("av1C".utf8)))
        let av1C = box("av1C", Array(avif[start.upperBound..<(start.upperBound + 4)]))
        let properties = box("ispe", [0, 0, 0, 0] + number(24) + number(16)) + av1C
        let ipma: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 1, 0x82]
        func whole(_ place: Int) -> [UInt8] {
            let parts = number(place) + number(2) + number(place + 2) + number(data.count - 2)
            let meta =
                box("hdlr", [0, 0, 0, 0, 0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
                + box("pitm", [0, 0, 0, 0, 0, 1])
                + box("iloc", [0, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, 2] + parts)
                + box(
                    "iinf",
                    [0, 0, 0, 0, 0, 1] + box("infe", [2, 0, 0, 0, 0, 1, 0, 0] + Array("av01".utf8) + [0]))
                + box("iprp", box("ipco", properties) + box("ipma", ipma))
            return box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("mif1avif".utf8))
                + box("meta", [0, 0, 0, 0] + meta) + box("mdat", data)
        }
        return whole(whole(0).count - data.count)
    }
}
