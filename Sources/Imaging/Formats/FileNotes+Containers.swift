// SPDX-License-Identifier: Apache-2.0
//
// Where each format stores the colour space:
//
//     JPEG    APP2 "ICC_PROFILE", number and count of parts, part of the profile (ICC.1:2010 §B.4); behind JFIF's segment
//     PNG     iCCP: name, method 0, zlib-compressed profile (W3C PNG §11.3.2.3); behind IHDR
//     WebP    ICCP behind VP8X, which has a flag for it (RFC 9649 §2.7)
//     AVIF    the code points of its colr box: 12 and 13 are Display P3; another colr box holds a profile
//
// EXIF is in APP1 "Exif" of a JPEG (Exif 2.32 §4.7.2), in eXIf of a PNG (W3C PNG §11.3.4.5), in a chunk EXIF at the end of a
// WebP, which has a flag for it in VP8X, and in an item of an AVIF.
//
// A gain map follows the end of a JPEG. Three segments announce it: the XMP directory, the versions of ISO 21496-1, and the
// CIPA multi-picture index.

internal import ImageHeaders

extension FileNotes {
    /// A new beginning of a file, which contains the notes.
    struct Beginning {
        var bytes: [UInt8]
        /// The length of the original beginning that it replaces, in bytes.
        var length: Int
    }

    /// The new beginning of an encoder's file. Nil if the format has no place for the notes.
    func beginning(
        of file: UnsafeRawBufferPointer, _ format: ImageFormat, _ size: PixelSize, hasAlpha: Bool
    ) -> Beginning? {
        guard !isEmpty else { return Beginning(bytes: [], length: 0) }
        return switch format {
        case .jpeg: jpeg(file)
        case .png: png(file)
        case .webp: webp(file, size, hasAlpha: hasAlpha)
        case .avif: avif(file)
        default: nil
        }
    }

    /// The bytes to append to the file.
    func end(_ format: ImageFormat) -> [UInt8] {
        if format == .jpeg, let gainMap { return gainMap.file }
        return format == .webp && !exif.isEmpty ? WebPContainer.chunk("EXIF", exif) : []
    }

    private func jpeg(_ file: UnsafeRawBufferPointer) -> Beginning? {
        let place = JPEGSegments.behindJFIF(file)
        // A segment's length counts the length field, the name and the two numbers: 16 bytes.
        let mostInPart = 65_535 - 16
        let profile = profile?.file ?? []
        let parts = stride(from: 0, to: profile.count, by: mostInPart).map {
            profile[$0..<min($0 + mostInPart, profile.count)]
        }
        guard place > 0, parts.count <= 255 else { return nil }
        var bytes = Array(file[..<place])
        if !exif.isEmpty { bytes += JPEGSegments.write(0xE1, Array("Exif\0\0".utf8) + exif) }
        if let gainMap {
            bytes += JPEGSegments.write(0xE1, GainMapTerms.directory(length: gainMap.file.count))
        }
        for (index, part) in parts.enumerated() {
            let numbers = [UInt8(index + 1), UInt8(parts.count)]
            bytes += JPEGSegments.write(0xE2, Array("ICC_PROFILE\0".utf8) + numbers + part)
        }
        if let gainMap {
            bytes += JPEGSegments.write(0xE2, GainMapTerms.isoName + [0, 0, 0, 0])
            let index = bytes.count + 4
            bytes += JPEGSegments.write(
                0xE2,
                MultiPictureIndex.segment(
                    at: index, first: index + MultiPictureIndex.length + file.count - place,
                    second: gainMap.file.count))
        }
        return Beginning(bytes: bytes, length: place)
    }

    private func png(_ file: UnsafeRawBufferPointer) -> Beginning? {
        // The place behind the signature and IHDR.
        let place = 33
        guard file.count > place else { return nil }
        var bytes = Array(file[..<place])
        if let profile {
            bytes += PNGChunk.file(Array("iCCP\(profile.name)\0\0".utf8) + PNGChunk.stored(profile.file))
        }
        if !exif.isEmpty { bytes += PNGChunk.file(Array("eXIf".utf8) + exif) }
        return Beginning(bytes: bytes, length: place)
    }

    private func webp(_ file: UnsafeRawBufferPointer, _ size: PixelSize, hasAlpha: Bool) -> Beginning? {
        guard file.count >= 30, file[0..<4].elementsEqual("RIFF".utf8) else { return nil }
        let isExtended = file[12..<16].elementsEqual("VP8X".utf8)
        var extended: [UInt8]
        if isExtended {
            extended = Array(file[12..<30])
        } else {
            let sides = [UInt8](little: size.width - 1, 3) + [UInt8](little: size.height - 1, 3)
            extended = Array("VP8X".utf8) + [UInt8](little: 10, 4) + [hasAlpha ? 0x10 : 0, 0, 0, 0] + sides
        }
        let chunk = profile.map { WebPContainer.chunk("ICCP", $0.file) } ?? []
        extended[8] |= (chunk.isEmpty ? 0 : 0x20) | (exif.isEmpty ? 0 : 0x08)
        let place = isExtended ? 30 : 12
        let length = 4 + extended.count + chunk.count + file.count - place + end(.webp).count
        let head = Array("RIFF".utf8) + [UInt8](little: length, 4) + Array("WEBP".utf8)
        return Beginning(bytes: head + extended + chunk, length: place)
    }

    private func avif(_ file: UnsafeRawBufferPointer) -> Beginning? {
        // libheif has written all other notes.
        guard case .displayP3 = profile else { return Beginning(bytes: [], length: 0) }
        let name = Array("colrnclx".utf8)
        // The box lies near the beginning, before any pixels.
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

    /// The profile's name in Latin-1, which PNG requires and programs ignore.
    fileprivate var name: String {
        switch self {
        case .displayP3: "Display P3"
        case .own: "ICC profile"
        }
    }
}
