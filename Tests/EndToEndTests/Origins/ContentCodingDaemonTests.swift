// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("What an origin compressed unasked", .endToEnd)
struct ContentCodingDaemonTests {
    private static let picture = Pictures.gradient(60, 40)

    private func origin(_ coding: String, _ body: [UInt8]) -> ScriptedOrigin {
        ScriptedOrigin {
            $0.answer(fields: ["Content-Encoding: \(coding)", "Cache-Control: max-age=9999"], body: body)
        }
    }

    /// What the daemon makes of the picture as it is.
    private func expected(_ daemon: DaemonUnderTest) throws -> [UInt8] {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        let reply = try daemon.get(origin.url(), "w=30&output=png")
        #expect(reply.status == 200)
        return reply.body
    }

    @Test func `is unpacked, and the picture is the same`() throws {
        let daemon = try DaemonUnderTest()
        let expected = try expected(daemon)
        let gzip = Compression.compress(Self.picture, as: .gzip)
        let half = Self.picture.count / 2
        let members =
            Compression.compress(Array(Self.picture[..<half]), as: .gzip)
            + Compression.compress(Array(Self.picture[half...]), as: .gzip)
        for (coding, body) in [
            ("gzip", gzip), ("X-GZIP", gzip), ("identity, gzip", gzip), ("gzip", members),
            ("gzip", gzip + [0, 0, 0]), ("deflate", Compression.compress(Self.picture, as: .zlib)),
            ("deflate", Compression.compress(Self.picture, as: .zlib) + [0, 0]),
            ("deflate", Compression.compress(Self.picture, as: .raw)),
            ("deflate", Compression.compress(Self.picture, as: .raw) + [0, 0]),
            // Browsers show it, too.
            ("gzip", Self.picture),
        ] {
            let origin = origin(coding, body)
            let reply = try daemon.get(origin.url(), "w=30&output=png")
            #expect(reply.status == 200 && reply.body == expected, "\(coding): \(reply.text.prefix(200))")
            // It is kept as a picture like any other.
            let json = try daemon.get(origin.url(), "output=json")
            #expect(json.text.contains("\"width\":60"))
            #expect(origin.heads.count == 1)
        }
    }

    /// More than is read, and written, at a time.
    @Test func `is unpacked piece by piece`() throws {
        let daemon = try DaemonUnderTest()
        let picture = Pictures.noise(600, 400)
        #expect(picture.count > 2 * 256 << 10)
        let origin = ScriptedOrigin { $0.picture(picture) }
        let expected = try daemon.get(origin.url(), "w=30&output=png")
        #expect(expected.status == 200)
        for form in Compression.Form.allCases {
            let packed = Compression.compress(picture, as: form)
            #expect(packed.count > 2 * 64 << 10)
            let origin = self.origin(form == .gzip ? "gzip" : "deflate", packed)
            let reply = try daemon.get(origin.url(), "w=30&output=png")
            #expect(
                reply.status == 200 && reply.body == expected.body, "\(form): \(reply.text.prefix(200))")
        }
    }

    @Test func `is not believed where it is cut, altered, packed twice, or packed by what is not taken`()
        throws
    {
        let daemon = try DaemonUnderTest()
        let gzip = Compression.compress(Self.picture, as: .gzip)
        let (zlib, raw) = (
            Compression.compress(Self.picture, as: .zlib), Compression.compress(Self.picture, as: .raw)
        )
        var altered = gzip
        // The checksum of RFC 1952.
        altered[altered.count - 8] ^= 1
        func cut(_ bytes: [UInt8], by count: Int = 30) -> [UInt8] { Array(bytes.dropLast(count)) }
        let bodies: [(String, [UInt8])] = [
            ("gzip", cut(gzip)), ("gzip", Array(gzip.prefix(2))), ("gzip", gzip + cut(gzip)),
            ("gzip", altered), ("deflate", cut(zlib)), ("deflate", cut(raw)),
            // All of the bytes are there, but not their checksum.
            ("gzip", cut(gzip, by: 1)), ("deflate", cut(zlib, by: 1)),
            ("gzip, gzip", Compression.compress(gzip, as: .gzip)), ("deflate", gzip),
            ("br", cut(Self.brotli, by: 20)), ("br", Self.zstd), ("zstd", gzip),
            ("zstd", cut(Self.zstd, by: 20)), ("zstd", Self.zstd + [1, 2, 3, 4]),
            ("compress", [0x1F, 0x9D, 0x90]),
        ]
        for (coding, body) in bodies {
            let origin = origin(coding, body)
            let reply = try daemon.get(origin.url(), "w=30")
            #expect(
                reply.status == 502 && reply.text.contains("origin_broken_reply"), "\(coding): \(reply.text)")
        }
        #expect(try daemon.metric("pictor_inspector_crashes_total") == 0)
    }

    /// A picture of 40 × 30, as brotli(1) and zstd(1) pack it, and in two frames.
    private static let plain = bytes(
        "iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAAK0lEQVR42u3NMQ0AAAgDsGlCE2KRhQw4mvRvputExGKxWCwWi8VisVj8N149iWj7Looc9gAAAABJRU5ErkJggg=="
    )
    private static let brotli = bytes(
        "izGAiVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAAK0lEQVR42u3NMQ0AAAgDsGlCE2KRhQw4mvRvputExGKxWCwWi8VisVj8N149iWj7Looc9gAAAABJRU5ErkJgggM="
    )
    private static let zstd = bytes(
        "KLUv/QRoIQMAiVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAAK0lEQVR42u3NMQ0AAAgDsGlCE2KRhQw4mvRvputExGKxWCwWi8VisVj8N149iWj7Looc9gAAAABJRU5ErkJggljBess="
    )
    private static let frames = bytes(
        "KLUv/QRokQEAiVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAAK0lEQVR42u3NMQ0AAAgnWgsaKLUv/QRokQEAA7BpQhNikYUMOJr0b6brRMRisVgsFovFYrFY/DdePYlo+y6KHPYAAAAASUVORK5CYILIYgs1"
    )

    private static func bytes(_ text: String) -> [UInt8] { Array(Data(base64Encoded: text) ?? Data()) }

    @Test func `by Brotli or Zstandard is unpacked as well`() throws {
        let daemon = try DaemonUnderTest()
        let origin = ScriptedOrigin { $0.picture(Self.plain) }
        let expected = try daemon.get(origin.url(), "w=20&output=png")
        #expect(expected.status == 200)
        for (coding, body) in [
            ("br", Self.brotli), ("BR", Self.brotli + [0, 0]), ("zstd", Self.zstd), ("zstd", Self.frames),
        ] {
            let origin = self.origin(coding, body)
            let reply = try daemon.get(origin.url(), "w=20&output=png")
            #expect(
                reply.status == 200 && reply.body == expected.body, "\(coding): \(reply.text.prefix(200))")
        }
    }

    /// 3 MiB of zeros.
    private static let bombs = [
        ("br", bytes("m///L/gnAOKxQCD3/gU=")),
        (
            "zstd",
            bytes(
                "KLUv/QRoTAAACAABAPz/ORACAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAMAEABytDLk"
            )
        ),
    ]

    @Test func `by Brotli or Zstandard is bounded too`() throws {
        let daemon = try DaemonUnderTest()
        for (coding, body) in Self.bombs {
            let origin = origin(coding, body)
            let reply = try daemon.get(origin.url(), "w=9")
            #expect(reply.status == 502 && reply.text.contains("origin_broken_reply"), "\(coding)")
        }
        #expect(try daemon.metric("pictor_inspector_crashes_total") == 0)
    }

    /// RFC 1952 §2.2 allows any number; programs write one for some ten KiB. Millions of empty ones took an inspector seconds.
    @Test func `may have thousands of members, and no more`() throws {
        let daemon = try DaemonUnderTest()
        let expected = try expected(daemon)
        let empty = Compression.compress([], as: .gzip)
        #expect(empty.count == 20)
        let parts = stride(from: 0, to: Self.picture.count, by: 2).flatMap {
            Compression.compress(Array(Self.picture[$0..<min($0 + 2, Self.picture.count)]), as: .gzip)
        }
        // Pieces of the file end within members, in their heads among others.
        #expect(parts.count > 64 << 10)
        let packed = Compression.compress(Self.picture, as: .gzip)
        func many(_ count: Int) -> [UInt8] {
            var members: [UInt8] = []
            for _ in 0..<count { members += empty }
            return members
        }
        for (name, body, isTaken) in [
            ("parts", parts, true), ("4,095 empty ones before", many(4_095) + packed, true),
            ("4,096 before", many(4_096) + packed, false), ("4,095 behind", packed + many(4_095), true),
            ("4,096 behind", packed + many(4_096), false), ("1,000,000", many(1_000_000), false),
        ] {
            let origin = origin("gzip", body)
            let reply = try daemon.get(origin.url(), "w=30&output=png")
            #expect(reply.status == (isTaken ? 200 : 502), "\(name): \(reply.text.prefix(200))")
            #expect(isTaken ? reply.body == expected : reply.text.contains("origin_broken_reply"), "\(name)")
        }
        #expect(try daemon.metric("pictor_inspector_crashes_total") == 0)
        #expect(try daemon.metric("pictor_inspector_timeouts_total") == 0)
    }

    private func expect(_ status: Int, of body: [UInt8], _ daemon: DaemonUnderTest) throws {
        let origin = origin("gzip", body)
        let reply = try daemon.get(origin.url(), "w=9")
        #expect(reply.status == status, "\(reply.text)")
    }

    @Test func `may not be larger than any original, nor out of all proportion`() throws {
        let daemon = try DaemonUnderTest(["--origin-maximum-body", "4MiB"])
        let large = Compression.compress(Pictures.noise(1400, 1100), as: .gzip)
        try expect(413, of: large, daemon)
        let bomb = Compression.compress([UInt8](repeating: 0, count: 100 << 20), as: .gzip)
        try expect(413, of: bomb, daemon)
        let odd = Compression.compress([UInt8](repeating: 0, count: 3 << 20), as: .gzip)
        try expect(502, of: odd, daemon)
        // Nobody else notices.
        #expect(try expected(daemon).isEmpty == false)
    }

    @Test func `is asked about by its own validator, and 304 keeps what was unpacked`() throws {
        let gzip = Compression.compress(Self.picture, as: .gzip)
        let origin = ScriptedOrigin { peer in
            let fields = ["Content-Encoding: gzip", "ETag: \"packed\"", "Cache-Control: max-age=0"]
            if peer.head.contains("If-None-Match: \"packed\"") {
                peer.answer("304 Not Modified", fields: fields)
            } else {
                peer.answer(fields: fields, body: gzip)
            }
        }
        let daemon = try DaemonUnderTest()
        let expected = try expected(daemon)
        for _ in 0..<2 {
            let reply = try daemon.get(origin.url(), "w=30&output=png")
            #expect(reply.status == 200 && reply.body == expected)
        }
        #expect(origin.heads.count == 2)
        #expect(origin.heads.last?.contains("If-None-Match: \"packed\"") == true)
    }
}
