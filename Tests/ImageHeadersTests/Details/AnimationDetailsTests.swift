// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

@Suite("Timing, palettes and densities are told up to the ends of their fields")
struct AnimationDetailsTests {
    private typealias Sample = SampleHeaders

    private func details(_ bytes: [UInt8]) throws -> ImageDetails {
        ImageDetails.parse(HeaderBytes(bytes), header: try ImageHeader.parse(bytes))
    }

    // MARK: GIF

    /// A screen of 64 × 48 with these flags, a table of the size that they announce, and these blocks.
    private func gif(flags: UInt8, _ blocks: [UInt8]) -> [UInt8] {
        let table = flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
        return Array("GIF89a".utf8) + Sample.little(64, 2) + Sample.little(48, 2) + [flags, 0, 0]
            + [UInt8](repeating: 0, count: table) + blocks + [0x3B]
    }

    private func frame(flags: UInt8 = 0) -> [UInt8] {
        let table = flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
        return [0x2C, 0, 0, 0, 0, 64, 0, 48, 0, flags] + [UInt8](repeating: 0, count: table) + [2, 1, 9, 0]
    }

    private func control(delay: Int) -> [UInt8] { [0x21, 0xF9, 4, 0] + Sample.little(delay, 2) + [0, 0] }

    private func netscape(_ repeats: Int, kind: UInt8 = 1, name: String = "NETSCAPE2.0") -> [UInt8] {
        [0x21, 0xFF, 11] + Array(name.utf8) + [3, kind] + Sample.little(repeats, 2) + [0]
    }

    @Test func `a palette's index has one to eight bits`() throws {
        for size in UInt8(0)...7 {
            #expect(try details(gif(flags: 0x80 | size, frame())).paletteBits == Int(size) + 1)
            // A size without the flag is no table; it may stand for the bits of the colours.
            #expect(try details(gif(flags: size, frame())).paletteBits == nil)
        }
    }

    @Test func `an animation is played once more than it is repeated, and for ever at nought`() throws {
        for (repeats, loop) in [(0, 0), (1, 2), (2, 3), (255, 256), (256, 257), (65_535, 65_536)] {
            #expect(try details(gif(flags: 0, netscape(repeats) + frame())).loop == loop, "\(repeats)")
        }
        #expect(try details(gif(flags: 0, netscape(0, name: "ANIMEXTS1.0") + frame())).loop == 0)
        #expect(try details(gif(flags: 0, netscape(2, name: "ANIMEXTS1.0") + frame())).loop == 3)
        #expect(try details(gif(flags: 0, frame())).loop == 1)
        // Another sub-block of the extension, and another extension, do not contain the loop count.
        #expect(try details(gif(flags: 0, netscape(5, kind: 2) + frame())).loop == 1)
        #expect(try details(gif(flags: 0, netscape(5, name: "NETSCAPE2.1") + frame())).loop == 1)
    }

    @Test func `a delay is in hundredths, of the next frame only`() throws {
        for hundredths in [0, 1, 255, 256, 65_535] {
            let found = try details(gif(flags: 0, control(delay: hundredths) + frame() + frame()))
            #expect(found.delays == [hundredths * 10, 0])
        }
        let twice = control(delay: 3) + control(delay: 4) + frame() + control(delay: 5) + frame()
        #expect(try details(gif(flags: 0, twice)).delays == [40, 50])
    }

    @Test func `one interlaced frame makes the file one that comes in passes`() throws {
        for flags in UInt8(0)...255 where flags & 0x38 == 0 {
            let found = try details(gif(flags: 0, frame() + frame(flags: flags) + frame()))
            #expect(found.isProgressive == (flags & 0x40 != 0), "\(flags)")
            #expect(found.delays.count == 3)
        }
    }

    @Test func `delays are told up to a bound, and frames behind it are counted all the same`() throws {
        for count in [9_999, 10_000, 10_001] {
            let frames = (0..<count).flatMap { _ in frame() }
            let bytes = gif(flags: 0, frames)
            #expect(try details(bytes).delays.count == min(count, ImageDetails.mostDelays))
            #expect(try ImageHeader.parse(bytes).pages == count)
        }
    }

    // MARK: WebP

    @Test func `a WebP's duration has three bytes, and its loop two`() throws {
        for milliseconds in [0, 1, 255, 256, 65_536, ImageDetails.longestDelay] {
            let frame = [UInt8](repeating: 0xFF, count: 12) + Sample.little(milliseconds, 3) + [0xFF]
            let chunks =
                Sample.vp8x(flags: 2) + Sample.webpChunk("ANIM", [9, 9, 9, 9, 0xFF, 0xFF])
                + Sample.webpChunk("ANMF", frame)
            let found = try details(Sample.webp(chunks))
            #expect(found.delays == [milliseconds])
            #expect(found.loop == 65_535)
        }
        #expect(ImageDetails.longestDelay == 0xFF_FFFF)
        #expect(try details(Sample.webp(Sample.vp8())).loop == nil)
    }

    // MARK: Density

    /// PNG counts pixels a metre; an inch is 0.0254 m.
    @Test(
        arguments: [
            (0, nil), (39, nil), (40, 1), (59, 1), (60, 2), (2_834, 72), (2_835, 72), (3_779, 96),
            (3_780, 96),
            (39_370_078, 1_000_000), (39_370_079, nil), (2_147_483_647, nil), (4_294_967_295, nil),
        ] as [(Int, Int?)])
    func `a density is one to a million pixels an inch`(aMetre: Int, anInch: Int?) throws {
        let numbers = Sample.big(aMetre, 4) + Sample.big(1, 4)
        let found = try details(Sample.png(before: Sample.chunk("pHYs", numbers + [1])))
        #expect(found.density == anInch)
        // Without a unit the numbers are only a ratio.
        #expect(try details(Sample.png(before: Sample.chunk("pHYs", numbers + [0]))).density == nil)
        #expect(try details(Sample.png(before: Sample.chunk("pHYs", numbers))).density == nil)
    }

    // MARK: Profiles

    @Test(
        arguments: [
            (nil, nil), ("", nil), ("sRGB", "sRGB"), ("\n\u{0}\u{7F}\u{85}", nil),
            ("s\u{1B}[2JRGB\n", "s[2JRGB"),
            (String(repeating: "x", count: 64), String(repeating: "x", count: 64)),
            (String(repeating: "x", count: 65), String(repeating: "x", count: 64)),
            ("\u{1}" + String(repeating: "é", count: 70), String(repeating: "é", count: 64)),
        ] as [(String?, String?)])
    func `a profile's name has 64 characters at most, all of which are seen`(name: String?, told: String?) {
        var details = ImageDetails()
        details.setProfile(name)
        #expect(details.hasProfile)
        #expect(details.profile == told)
    }
}
