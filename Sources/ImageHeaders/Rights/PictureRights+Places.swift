// SPDX-License-Identifier: Apache-2.0

extension PictureRights {
    /// The most bytes of one text that are read.
    private static let mostRead = 8 * 1_024

    mutating func readEXIF(_ reader: inout HeaderReader, in range: Range<Int>) {
        guard let stream = EXIF.stream(&reader, in: range) else { return }
        take(artist: try? stream.text(315, &reader, atMost: Self.mostRead))
        take(copyright: try? stream.text(33_432, &reader, atMost: Self.mostRead))
    }

    /// Reads EXIF in APP1, and Photoshop's resources in APP13.
    mutating func readJPEG(_ reader: inout HeaderReader) {
        var offset = 2
        var fromPress = PictureRights()
        while let segment = try? JPEGHeader.nextSegment(&reader, from: offset) {
            switch segment.marker {
            case 0xE1 where (try? reader.has("Exif\0\0", at: segment.payload.lowerBound)) == true:
                readEXIF(&reader, in: segment.payload)
            case 0xED: fromPress.readPhotoshop(&reader, in: segment.payload)
            case 0xDA, 0xD9:
                return fill(from: fromPress)
            default: break
            }
            offset = segment.payload.upperBound
        }
    }

    /// "Photoshop 3.0\0", then resources: "8BIM", number (2 bytes), name (a length byte, padded to an even length), length
    /// (4), data, padded likewise. Resource 0x0404 is IPTC.
    private mutating func readPhotoshop(_ reader: inout HeaderReader, in range: Range<Int>) {
        guard (try? reader.has("Photoshop 3.0\0", at: range.lowerBound)) == true else { return }
        var offset = range.lowerBound + 14
        while offset < range.upperBound, (try? reader.has("8BIM", at: offset)) == true,
            let number = try? reader.big16(at: offset + 4), let name = try? reader.byte(at: offset + 6)
        {
            let place = offset + 6 + (Int(name) + 2) / 2 * 2
            guard let length = try? reader.big32(at: place), length <= range.upperBound - place - 4 else {
                return
            }
            let data = place + 4..<place + 4 + length
            if number == 0x0404 { readIPTC(&reader, in: data) }
            offset = data.upperBound + length % 2
        }
    }

    /// IPTC-IIM §1.5: 1C, record, dataset, length (2 bytes), data.
    private mutating func readIPTC(_ reader: inout HeaderReader, in range: Range<Int>) {
        var offset = range.lowerBound
        while range.upperBound - offset >= 5, (try? reader.byte(at: offset)) == 0x1C,
            let kind = try? reader.big16(at: offset + 1), let length = try? reader.big16(at: offset + 3)
        {
            // A length of more than 15 bits has another form, which no text needs.
            guard length < 0x8000, length <= range.upperBound - offset - 5 else { return }
            let text = try? reader.bytes(at: offset + 5, count: min(length, Self.mostRead))
            switch kind {
            case 2 << 8 | 80: take(artist: text)
            case 2 << 8 | 116: take(copyright: text)
            default: break
            }
            offset += 5 + length
        }
    }

    /// Text chunks and eXIf may stand before and behind the pixels.
    mutating func readPNG(_ reader: inout HeaderReader) {
        var (offset, texts) = (PNGHeader.behindIHDR, PictureRights())
        while let chunk = try? PNGHeader.chunk(&reader, at: offset), chunk.end <= reader.length {
            switch chunk.type {
            case "eXIf": readEXIF(&reader, in: chunk.data)
            case "tEXt":
                let text = try? reader.bytes(
                    at: chunk.data.lowerBound, count: min(chunk.data.count, Self.mostRead))
                let parts = text?.split(separator: 0, maxSplits: 1).map(Array.init) ?? []
                guard parts.count == 2 else { break }
                if parts[0].elementsEqual("Author".utf8) { texts.take(artist: parts[1]) }
                if parts[0].elementsEqual("Copyright".utf8) { texts.take(copyright: parts[1]) }
            default: break
            }
            offset = chunk.end
        }
        fill(from: texts)
    }

    /// An item of type Exif: the offset (4 bytes) of the TIFF stream, counted from behind these bytes, then the stream
    /// (ISO/IEC 23008-12 §A.2.1).
    mutating func readHEIF(_ reader: inout HeaderReader) {
        guard let items = try? ISOMediaItems(&reader), let item = try? items.ofType("Exif", &reader).first,
            let place = try? items.bytes(of: item, &reader),
            let skipped = try? reader.big32(at: place.lowerBound),
            skipped <= place.count - 4
        else { return }
        readEXIF(&reader, in: place.lowerBound + 4 + skipped..<place.upperBound)
    }
}
