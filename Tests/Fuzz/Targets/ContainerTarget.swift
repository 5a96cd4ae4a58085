// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Imaging

/// A picture's own bytes are a picture whose own bytes they are; what is corrected in place stays as long as it was.
enum ContainerTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        for format in [ImageFormat.jpeg, .png, .gif, .avif, .webp] {
            guard let own = StrippedOriginal.of(bytes, format) else { continue }
            expect(own.count <= bytes.count, "what is left is no more than there was")
            expect(
                own.withUnsafeBytes { StrippedOriginal.of($0, format) } == own,
                "own bytes have nothing left to lose")
        }
        correct(Array(bytes))
        _ = ICCProfile(Array(bytes))
        findMap(bytes)
        for isIcon in [false, true] {
            guard let bitmap = try? DeviceBitmap(bytes, isIcon: isIcon), bitmap.size.area <= 1 << 16 else {
                continue
            }
            if let samples = try? bitmap.rgb() {
                expect(samples.count == bitmap.size.area * 3, "three a pixel")
            }
            if let samples = try? bitmap.rgba() {
                expect(samples.count == bitmap.size.area * 4, "four a pixel")
            }
        }
    }

    private static func findMap(_ bytes: UnsafeRawBufferPointer) {
        guard let (place, terms) = GainMap.find(in: bytes) else { return }
        expect((0...bytes.count).contains(place.upperBound), "a gain map lies in the file")
        let again = [
            GainMapTerms(iso: terms.iso[GainMapTerms.isoName.count...]),
            GainMapTerms(xmp: terms.xmp[GainMapTerms.xmpName.count...]),
        ]
        expect(again.allSatisfy { $0 == terms }, "terms survive both of their spellings")
    }

    private static func correct(_ bytes: [UInt8]) {
        var once = bytes
        once.withUnsafeMutableBytes { PNGContainer.muteMetadata($0) }
        var twice = once
        twice.withUnsafeMutableBytes { PNGContainer.muteMetadata($0) }
        expect(once == twice, "what was muted is mute")
        // Not so here: a frame that was given an index would seem to uncover the one before it.
        var gif = bytes
        gif.withUnsafeMutableBytes { GIFContainer.openHoles($0) }
        var screen = bytes
        screen.withUnsafeMutableBytes { file in
            if let width = GIFContainer.widenScreen(file) { GIFContainer.setWidth(file, width) }
        }
        expect(screen == bytes, "a screen that was widened gets its width back")
        var webp = bytes
        webp.withUnsafeMutableBytes { file in
            for part in WebPContainer.strip(file) {
                expect((0...file.count).contains(part.upperBound), "the parts lie in the file")
            }
        }
    }
}
