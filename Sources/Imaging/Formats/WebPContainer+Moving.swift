// SPDX-License-Identifier: Apache-2.0
//
// An animation is VP8X with the flag 0x02, then ANIM (background, 16 bits of plays), then an ANMF for each frame: x ÷ 2, y ÷ 2,
// width − 1, height − 1 and milliseconds of 24 bits each, flags, and the chunks of a still picture (RFC 9649 §2.7).

internal import ImageHeaders

extension WebPContainer {
    /// The longest time that a frame may be shown, in milliseconds.
    private static let longestFrame = 0xFF_FFFF

    /// The animation that libwebp has reduced to a still picture, because its frames are equal: one frame that is shown for the
    /// time of all. Up to 10 ms count as 100, as in all animations that libvips writes. Nil if the file is an animation, or damaged.
    /// - Parameter size: the size of a frame.
    static func moving(
        _ file: UnsafeMutableRawBufferPointer, _ size: PixelSize, hasAlpha: Bool, _ timing: Timing
    ) -> [UInt8]? {
        guard let chunks = chunks(file), !chunks.contains(where: { $0.name == "ANMF" }) else { return nil }
        let pixels = chunks.filter { ["ALPH", "VP8 ", "VP8L"].contains($0.name) }
        guard !pixels.isEmpty else { return nil }
        let sides = [UInt8](little: size.width - 1, 3) + [UInt8](little: size.height - 1, 3)
        let shown = min(timing.delays.reduce(0) { $0 + ($1 <= 10 ? 100 : $1) }, longestFrame)
        var frame = [UInt8](repeating: 0, count: 6) + sides + [UInt8](little: shown, 3)
        // The frame replaces what is below it, and stays.
        frame.append(0x02)
        for part in pixels { frame += file[part.range] }
        let flags: [UInt8] = [hasAlpha ? 0x12 : 0x02, 0, 0, 0]
        var body = Array("WEBP".utf8)
        body += chunk("VP8X", flags + sides)
        body += chunk("ANIM", [UInt8](little: 0, 4) + [UInt8](little: timing.loop, 2))
        body += chunk("ANMF", frame)
        return chunk("RIFF", body)
    }

    /// A chunk with its header, padded to an even length.
    static func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        Array(name.utf8) + [UInt8](little: bytes.count, 4) + bytes
            + [UInt8](repeating: 0, count: bytes.count % 2)
    }
}
