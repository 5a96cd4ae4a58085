// SPDX-License-Identifier: Apache-2.0

extension ImageDetails {
    /// The most delays that are reported.
    package static let mostDelays = 10_000
    /// The longest delay in milliseconds; WebP's field has 24 bits.
    package static let longestDelay = 1 << 24 - 1

    fileprivate mutating func add(delay: Int) {
        if delays.count < Self.mostDelays { delays.append(delay) }
    }

    /// GIF89a §23 (delays in hundredths of a second) and Netscape's extension, which has two names: the number of
    /// repetitions, 0 for ever. `loop` counts plays, as libvips does, and is 1 without the extension.
    mutating func readGIF(_ reader: inout HeaderReader) throws(ImageHeaderError) {
        let packed = try reader.byte(at: 10)
        if packed & 0x80 != 0 { paletteBits = Int(packed & 7) + 1 }
        loop = 1
        var offset = 13 + GIFHeader.colourTable(packed)
        var delay = 0
        while true {
            switch try reader.byte(at: offset) {
            case 0x21:
                if try reader.byte(at: offset + 1) == 0xF9 {
                    delay = try reader.little16(at: offset + 4) * 10
                } else if try Self.saysRepetitions(&reader, at: offset) {
                    let repeats = try reader.little16(at: offset + 16)
                    loop = repeats == 0 ? 0 : repeats + 1
                }
                offset = try GIFHeader.skipExtension(&reader, at: offset)
            case 0x2C:
                let packed = try reader.byte(at: offset + 9)
                if packed & 0x40 != 0 { isProgressive = true }
                add(delay: delay)
                delay = 0
                offset = try GIFHeader.skipSubBlocks(
                    &reader, from: offset + 11 + GIFHeader.colourTable(packed))
            default: return
            }
        }
    }

    /// Whether a GIF's extension is Netscape's, with a number of repetitions.
    private static func saysRepetitions(
        _ reader: inout HeaderReader, at offset: Int
    ) throws(ImageHeaderError) -> Bool {
        for name in GIFHeader.loopExtensions where try reader.has(name, at: offset + 3) {
            return try reader.byte(at: offset + 15) == 1
        }
        return false
    }

    /// RFC 9649 §2.7.1.1: ANIM has the background and the loop count (0 for ever), ANMF a 24-bit duration in
    /// milliseconds.
    mutating func readWebP(_ reader: inout HeaderReader) {
        var found = self
        WebPHeader.walkChunks(&reader, from: 12) { reader, type, data in
            switch type {
            case "ICCP": found.setProfile(ICCDescription.read(&reader, in: data))
            case "ANIM": found.loop = try? reader.little16(at: data.lowerBound + 4)
            case "ANMF":
                if let delay = try? reader.little24(at: data.lowerBound + 12) { found.add(delay: delay) }
            default: break
            }
        }
        self = found
    }
}
