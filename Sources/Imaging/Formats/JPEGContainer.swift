// SPDX-License-Identifier: Apache-2.0
//
// JPEG (ITU-T T.81 §B): FF D8, segments of FF, marker, 16-bit length that counts itself; after SOS (DA) the coded data,
// in which FF is followed by 00 or a restart marker (D0…D7), up to the next segment; FF D9.

internal import Glibc

enum JPEGContainer {
    /// The parts of the file that make the picture. Nil for kinds that browsers may not show: arithmetic coding
    /// (SOF9 and above), the lossless and hierarchical modes, 12 bits.
    static func picture(_ file: UnsafeRawBufferPointer) -> [Range<Int>]? {
        guard file.count > 4, file[0] == 0xFF, file[1] == 0xD8 else { return nil }
        var parts = [0..<2]
        var (offset, hasScan) = (2, false)
        while offset + 4 <= file.count, file[offset] == 0xFF {
            let marker = file[offset + 1]
            let length = Int(file[offset + 2]) << 8 | Int(file[offset + 3])
            var segment = offset..<offset + 2 + length
            guard length >= 2, segment.upperBound <= file.count else { return nil }
            if marker == 0xDA {
                guard let end = endOfScan(file, from: segment.upperBound) else { return nil }
                segment = offset..<end
                hasScan = true
            }
            guard let keeps = keeps(marker, UnsafeRawBufferPointer(rebasing: file[segment])) else {
                return nil
            }
            if keeps { parts.append(segment) }
            offset = segment.upperBound
            if hasScan, offset + 2 <= file.count, file[offset] == 0xFF, file[offset + 1] == 0xD9 {
                return parts + [offset..<offset + 2]
            }
        }
        return nil
    }

    /// Whether the segment is copied. Nil if the file is no JPEG of the usual kinds.
    private static func keeps(_ marker: UInt8, _ segment: UnsafeRawBufferPointer) -> Bool? {
        switch marker {
        // Baseline, extended and progressive frames of 8 bits.
        case 0xC0...0xC2: segment.count > 4 && segment[4] == 8 ? true : nil
        // Huffman and quantisation tables, restart interval, scan.
        case 0xC4, 0xDB, 0xDD, 0xDA: true
        case 0xC3, 0xC5...0xCF, 0xDC, 0xDE, 0xDF: nil
        // JFIF without a thumbnail, whose length field says 16. Adobe's segment says what the components are.
        case 0xE0: segment.count == 18 && segment[4..<9].elementsEqual("JFIF\0".utf8)
        case 0xEE: segment.count == 16 && segment[4..<9].elementsEqual("Adobe".utf8)
        case 0xE1...0xEF, 0xFE: false
        default: nil
        }
    }

    /// The number of scans up to the end of the picture, as a decoder counts them: it skips bytes between segments. Counting stops
    /// at `most` + 1.
    static func scans(_ file: UnsafeRawBufferPointer, upTo most: Int) -> Int {
        var (count, offset) = (0, 2)
        while count <= most, offset < file.count, let base = file.baseAddress,
            let found = memchr(base + offset, 0xFF, file.count - offset)
        {
            offset = UnsafeRawPointer(found) - base + 1
            guard offset + 2 < file.count else { break }
            switch file[offset] {
            // Of several FF in a row, the last belongs to the marker.
            case 0xFF: continue
            // Markers below the frame headers have no length. libjpeg skips them where it looks for a restart
            // marker.
            case 0x00...0xBF, 0xD0...0xD8: offset += 1
            case 0xD9: return count
            case let marker:
                if marker == 0xDA { count += 1 }
                offset += 1 + max(2, Int(file[offset + 1]) << 8 | Int(file[offset + 2]))
            }
        }
        return count
    }

    /// The offset of the segment that ends a scan's data.
    static func endOfScan(_ file: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var offset = start
        while offset + 1 < file.count {
            // Most of a file is scan data, so `memchr` skips many bytes at a time.
            guard let base = file.baseAddress, let found = memchr(base + offset, 0xFF, file.count - offset)
            else { return nil }
            offset = UnsafeRawPointer(found) - base
            guard offset + 1 < file.count else { return nil }
            switch file[offset + 1] {
            case 0x00, 0xD0...0xD7: offset += 2
            case 0xFF: offset += 1
            default: return offset
            }
        }
        return nil
    }
}
