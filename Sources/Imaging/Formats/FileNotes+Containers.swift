// SPDX-License-Identifier: Apache-2.0
//
// Where a file says what its numbers stand for:
//
//     JPEG    APP2 "ICC_PROFILE", number and count of parts, part of the profile (ICC.1:2010 §B.4); behind JFIF's segment
//     PNG     iCCP: name, method 0, profile by zlib (W3C PNG §11.3.2.3); behind IHDR
//     WebP    ICCP behind VP8X, which has a flag for it (RFC 9649 §2.7)
//     AVIF    the code points of its colr box: 12 and 13 are Display P3; another colr box has a profile

internal import ImageHeaders

extension FileNotes {
    /// A new beginning of a file, with what it says.
    struct Beginning {
        var bytes: [UInt8]
        /// How much of the file it takes the place of.
        var length: Int
    }

    /// Of a file that an encoder has made; nil if it has no place for what it is to say.
    func beginning(
        of file: UnsafeRawBufferPointer, _ format: ImageFormat, _ size: PixelSize, hasAlpha: Bool
    ) -> Beginning? {
        guard let profile else { return Beginning(bytes: [], length: 0) }
        return switch format {
        case .jpeg: Self.jpeg(file, profile.file)
        case .png: Self.png(file, profile)
        case .webp: Self.webp(file, profile.file, size, hasAlpha: hasAlpha)
        case .avif: Self.avif(file, profile)
        default: nil
        }
    }

    private static func jpeg(_ file: UnsafeRawBufferPointer, _ profile: [UInt8]) -> Beginning? {
        guard file.count > 20, file[2] == 0xFF else { return nil }
        let place = file[3] == 0xE0 ? 4 + Int(file[4]) << 8 + Int(file[5]) : 2
        // A segment's length counts itself, the name and the two numbers.
        let mostInPart = 65_535 - 16
        let parts = stride(from: 0, to: profile.count, by: mostInPart).map {
            profile[$0..<min($0 + mostInPart, profile.count)]
        }
        guard place <= file.count, parts.count <= 255 else { return nil }
        var bytes = Array(file[..<place])
        for (index, part) in parts.enumerated() {
            let length = part.count + 16
            bytes += [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + Array("ICC_PROFILE\0".utf8)
            bytes += [UInt8(index + 1), UInt8(parts.count)] + part
        }
        return Beginning(bytes: bytes, length: place)
    }

    private static func png(_ file: UnsafeRawBufferPointer, _ profile: Profile) -> Beginning? {
        // The signature and IHDR.
        let place = 33
        guard file.count > place else { return nil }
        let body = Array("iCCP\(profile.name)\0\0".utf8) + PNGChunk.stored(profile.file)
        return Beginning(bytes: Array(file[..<place]) + PNGChunk.file(body), length: place)
    }

    private static func webp(
        _ file: UnsafeRawBufferPointer, _ profile: [UInt8], _ size: PixelSize, hasAlpha: Bool
    ) -> Beginning? {
        guard file.count >= 30, file[0..<4].elementsEqual("RIFF".utf8) else { return nil }
        let isExtended = file[12..<16].elementsEqual("VP8X".utf8)
        var extended: [UInt8]
        if isExtended {
            extended = Array(file[12..<30])
            extended[8] |= 0x20
        } else {
            let sides = little(size.width - 1, 3) + little(size.height - 1, 3)
            extended = Array("VP8X".utf8) + little(10, 4) + [0x20 | (hasAlpha ? 0x10 : 0), 0, 0, 0] + sides
        }
        let place = isExtended ? 30 : 12
        let padding = [UInt8](repeating: 0, count: profile.count % 2)
        let chunk = Array("ICCP".utf8) + little(profile.count, 4) + profile + padding
        let length = 4 + extended.count + chunk.count + file.count - place
        let riff = Array("RIFF".utf8) + little(length, 4) + Array("WEBP".utf8)
        return Beginning(bytes: riff + extended + chunk, length: place)
    }

    private static func little(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func avif(_ file: UnsafeRawBufferPointer, _ profile: Profile) -> Beginning? {
        // libheif has written it.
        guard case .displayP3 = profile else { return Beginning(bytes: [], length: 0) }
        let name = Array("colrnclx".utf8)
        // The box is among the first ones, before any pixels.
        let last = min(file.count, 4096) - name.count - 4
        guard last > 0,
            let place = (0..<last).first(where: { file[$0..<$0 + name.count].elementsEqual(name) })
        else { return nil }
        return Beginning(bytes: Array(file[..<(place + 8)]) + [0, 12, 0, 13], length: place + 12)
    }
}

extension FileNotes.Profile {
    fileprivate var file: [UInt8] {
        switch self {
        case .displayP3: DisplayP3Profile.file
        case .own(let bytes): bytes
        }
    }

    /// Latin-1, as PNG has it; nobody reads it.
    fileprivate var name: String {
        switch self {
        case .displayP3: "Display P3"
        case .own: "ICC profile"
        }
    }
}
