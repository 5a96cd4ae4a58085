// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import TestSupport
import Testing

@Suite("An original of more than 100 MiB of pixels is made in the jail", .endToEnd, .timeLimit(.minutes(5)))
struct LargeOriginalTests {
    /// A WebP without loss of 5,300 × 5,000 pixels of one translucent colour.
    private static let webp: [UInt8] = [
        0x52, 0x49, 0x46, 0x46, 0x1E, 0x00, 0x00, 0x00, 0x57, 0x45, 0x42, 0x50,
        0x56, 0x50, 0x38, 0x4C, 0x11, 0x00, 0x00, 0x00,
        0x2F, 0xB3, 0xD4, 0xE1, 0x14, 0x07, 0x50, 0xE4, 0x2A, 0xD4, 0xA3, 0x80, 0x81, 0x88, 0xE8, 0x7F, 0x00,
        0x00,
    ]

    @Test func `WebP, whose pixels libvips makes at once`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.webp) }
        let daemon = try DaemonUnderTest([
            "--decoder-jail", "require", "--decoder-memory", "2GiB", "--decoder-timeout", "3m",
        ])
        let reply = try daemon.get(origin.url(), "w=106&output=png")
        #expect(reply.status == 200, "\(reply.text)")
        let header = try ImageHeader.parse(reply.body)
        #expect(header.stored == PixelSize(width: 106, height: 100))
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == 0)
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 0)
        #expect(try daemon.metric("pictor_decoder_price_exceeded_total") == 0)
    }
}
