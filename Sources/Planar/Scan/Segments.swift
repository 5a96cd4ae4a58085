// SPDX-License-Identifier: Apache-2.0
// ITU-T T.81 §B.2: FF D8, then segments of FF, marker and a 16-bit length that counts itself, up to the scan (SOS), which the
// coded data follow. A progressive frame has several scans, each with its data, and tables may be redefined before each. A
// file that deviates from the standard is refused, because other decoders repair such files, and their result shall not
// change.

/// The segments before the data of a JPEG's single scan, or around those of a progressive frame's scans.
struct Segments {
    struct Component {
        var id: UInt8
        /// Blocks of a unit, across and down.
        var horizontal: Int
        var vertical: Int
        var quantisation: Int
        var dc = 0
        var ac = 0
    }

    private(set) var width = 0
    private(set) var height = 0
    private(set) var components: [Component] = []
    /// Units between restart markers; 0 if there are none.
    private(set) var restartInterval = 0
    /// The offset of the coded data; for a progressive frame, of the last scan's.
    private(set) var data = 0
    /// The scans of a progressive frame; empty for other frames.
    private(set) var parts: [ScanPart] = []
    /// The most scans that are accepted, because each has a reader of its own. Encoders write ten.
    private static let mostParts = 64
    private var isProgressive = false
    private var progress = ScanProgress(components: 0)
    /// Quantisation steps in zigzag order.
    private(set) var quantisation: [[UInt8]?] = Array(repeating: nil, count: 4)
    private(set) var dcTables: [HuffmanTable?] = Array(repeating: nil, count: 4)
    private(set) var acTables: [HuffmanTable?] = Array(repeating: nil, count: 4)
    /// The ranges of an ICC profile's parts (ICC.1:2022 §B.4).
    private(set) var profileParts: [Range<Int>] = []
    private var profilePartCount = 0
    private var hasJFIF = false
    private var adobeTransform: UInt8?

    init(_ file: Span<UInt8>) throws(JPEGLaneRefusal) {
        guard file.count > 4, file[0] == 0xFF, file[1] == 0xD8 else { throw .oddHeader }
        var offset = 2
        while data == 0 || isProgressive {
            guard offset < file.count, file[offset] == 0xFF else { throw .oddHeader }
            while offset < file.count, file[offset] == 0xFF { offset += 1 }
            if data > 0, offset < file.count, file[offset] == 0xD9 {
                guard progress.isComplete else { throw .otherKind }
                break
            }
            guard offset + 2 < file.count else { throw .oddHeader }
            let marker = file[offset]
            let length = Int(file[offset + 1]) << 8 | Int(file[offset + 2])
            let body = offset + 3..<offset + 1 + max(2, length)
            guard length >= 2, body.upperBound <= file.count else { throw .oddHeader }
            try take(marker, file.extracting(body), at: body)
            offset = body.upperBound
            if marker == 0xDA, isProgressive { offset = Self.endOfData(file, from: offset) }
        }
        guard profileParts.count == profilePartCount else { throw .oddHeader }
    }

    /// - Parameter bytes: the segment behind its length field.
    private mutating func take(
        _ marker: UInt8, _ bytes: Span<UInt8>, at place: Range<Int>
    ) throws(JPEGLaneRefusal) {
        switch marker {
        case 0xC0...0xC2:
            isProgressive = marker == 0xC2
            try takeFrame(bytes)
        case 0xC4: try takeHuffman(bytes)
        case 0xDB:
            // A component's quantisation steps must be defined before the first scan.
            guard data == 0 else { throw .otherKind }
            try takeQuantisation(bytes)
        case 0xDD:
            guard bytes.count == 2 else { throw .oddHeader }
            restartInterval = Int(bytes[0]) << 8 | Int(bytes[1])
        case 0xDA:
            if isProgressive {
                try takePart(bytes, data: place.upperBound)
            } else {
                try takeScan(bytes)
            }
            data = place.upperBound
        case 0xE0: hasJFIF = hasJFIF || bytes.count >= 14 && bytes.begins(with: "JFIF\0")
        case 0xEE:
            if bytes.count >= 12, bytes.begins(with: "Adobe") { adobeTransform = bytes[11] }
        // libvips reads only profiles before the first scan.
        case 0xE2: if data == 0 { try takeProfile(bytes, at: place) }
        case 0xE1...0xEF, 0xFE: break
        case 0xC3...0xCF: throw .otherKind
        default: throw .oddHeader
        }
    }

    private mutating func takeFrame(_ bytes: Span<UInt8>) throws(JPEGLaneRefusal) {
        guard components.isEmpty, bytes.count >= 6, bytes.count == 6 + 3 * Int(bytes[5]) else {
            throw .oddHeader
        }
        height = Int(bytes[1]) << 8 | Int(bytes[2])
        width = Int(bytes[3]) << 8 | Int(bytes[4])
        guard bytes[0] == 8, bytes[5] == 1 || bytes[5] == 3, width > 0, height > 0 else { throw .otherKind }
        for start in stride(from: 6, to: bytes.count, by: 3) {
            let id = bytes[start]
            guard bytes[start + 2] < 4, !components.contains(where: { $0.id == id }) else { throw .oddHeader }
            components.append(
                Component(
                    id: id, horizontal: Int(bytes[start + 1] >> 4), vertical: Int(bytes[start + 1] & 15),
                    quantisation: Int(bytes[start + 2])))
        }
        if components.count == 1 {
            guard (1...4).contains(components[0].horizontal), (1...4).contains(components[0].vertical) else {
                throw .oddHeader
            }
            // T.81 §A.2.2: the blocks of a single component stand in rows, whatever its sampling.
            (components[0].horizontal, components[0].vertical) = (1, 1)
        }
        progress = ScanProgress(components: components.count)
        guard (1...2).contains(components[0].horizontal), (1...2).contains(components[0].vertical),
            components.dropFirst().allSatisfy({ $0.horizontal == 1 && $0.vertical == 1 })
        else { throw .otherKind }
    }

    private mutating func takeHuffman(_ bytes: Span<UInt8>) throws(JPEGLaneRefusal) {
        var offset = 0
        while offset < bytes.count {
            guard offset + 17 <= bytes.count else { throw .oddHeader }
            let (kind, number) = (bytes[offset] >> 4, Int(bytes[offset] & 15))
            let counts = (1...16).map { bytes[offset + $0] }
            let count = counts.reduce(0) { $0 + Int($1) }
            guard kind < 2, number < 4, offset + 17 + count <= bytes.count else { throw .oddHeader }
            let symbols = (0..<count).map { bytes[offset + 17 + $0] }
            // A DC symbol has no run.
            guard kind > 0 || symbols.allSatisfy({ $0 < 16 }) else { throw .oddHeader }
            guard let table = HuffmanTable(counts: counts, symbols: symbols) else { throw .oddHeader }
            if kind == 0 { dcTables[number] = table } else { acTables[number] = table }
            offset += 17 + count
        }
    }

    private mutating func takeQuantisation(_ bytes: Span<UInt8>) throws(JPEGLaneRefusal) {
        guard bytes.count % 65 == 0 else { throw bytes.isEmpty || bytes[0] < 16 ? .oddHeader : .otherKind }
        for start in stride(from: 0, to: bytes.count, by: 65) {
            guard bytes[start] < 4 else { throw bytes[start] < 16 ? .oddHeader : .otherKind }
            quantisation[Int(bytes[start])] = (1...64).map { bytes[start + $0] }
        }
    }

    /// T.81 §B.2.3: one scan of all components, in the frame's order.
    private mutating func takeScan(_ bytes: Span<UInt8>) throws(JPEGLaneRefusal) {
        let count = components.count
        guard count > 0, bytes.count >= 4, bytes.count == 4 + 2 * Int(bytes[0]) else { throw .oddHeader }
        guard bytes[0] == components.count else { throw .otherKind }
        for index in 0..<count {
            let (id, tables) = (bytes[1 + 2 * index], bytes[2 + 2 * index])
            guard components[index].id == id, tables >> 4 < 4, tables & 15 < 4 else { throw .oddHeader }
            (components[index].dc, components[index].ac) = (Int(tables >> 4), Int(tables & 15))
        }
        // The scan must contain all coefficients, to the last bit.
        guard bytes[1 + 2 * count] == 0, bytes[2 + 2 * count] == 63, bytes[3 + 2 * count] == 0 else {
            throw .oddHeader
        }
        guard isGreyOrYCbCr else { throw .otherKind }
    }

    /// T.81 §G.1.1: the first coefficients of some components, or a band of other coefficients of one
    /// component.
    private mutating func takePart(_ bytes: Span<UInt8>, data: Int) throws(JPEGLaneRefusal) {
        guard !components.isEmpty, bytes.count >= 6, bytes.count == 4 + 2 * Int(bytes[0]) else {
            throw .oddHeader
        }
        let count = Int(bytes[0])
        let (first, last) = (Int(bytes[1 + 2 * count]), Int(bytes[2 + 2 * count]))
        guard first <= last, last < 64, (first == 0) == (last == 0), first == 0 || count == 1,
            parts.count < Self.mostParts, isGreyOrYCbCr
        else { throw .otherKind }
        var members: [ScanPart.Member] = []
        for index in 0..<count {
            let (id, tables) = (bytes[1 + 2 * index], bytes[2 + 2 * index])
            guard let component = components.firstIndex(where: { $0.id == id }), tables >> 4 < 4,
                tables & 15 < 4, component > members.last?.component ?? -1
            else { throw .oddHeader }
            members.append(
                .init(component: component, dc: dcTables[Int(tables >> 4)], ac: acTables[Int(tables & 15)]))
        }
        let bits = bytes[3 + 2 * count]
        let part = ScanPart(
            members: members, band: first...last, high: Int(bits >> 4), low: Int(bits & 15),
            restartInterval: restartInterval, data: data)
        guard progress.take(part) else { throw .otherKind }
        parts.append(part)
    }

    /// The offset of the first marker behind a scan's data that is no restart marker; the end of the file if
    /// there is none.
    private static func endOfData(_ file: Span<UInt8>, from start: Int) -> Int {
        var offset = start
        while offset + 1 < file.count {
            if file[offset] != 0xFF {
                offset += 1
                continue
            }
            switch file[offset + 1] {
            case 0x00, 0xD0...0xD7: offset += 2
            case 0xFF: offset += 1
            default: return offset
            }
        }
        return file.count
    }

    /// True for components that libjpeg takes for grey or YCbCr. JFIF files are YCbCr; otherwise Adobe's marker decides, or
    /// else the component ids: R, G and B are RGB.
    private var isGreyOrYCbCr: Bool {
        if components.count == 1 || hasJFIF { return true }
        if let adobeTransform { return adobeTransform != 0 }
        return !components.map(\.id).elementsEqual("RGB".utf8)
    }

    /// Takes one part of a profile. Parts must be in order, without repetition: each has its number, from 1,
    /// and the number of parts.
    private mutating func takeProfile(_ bytes: Span<UInt8>, at place: Range<Int>) throws(JPEGLaneRefusal) {
        guard bytes.begins(with: "ICC") else { return }
        guard bytes.count > 14, bytes.begins(with: "ICC_PROFILE\0"), bytes[12] == profileParts.count + 1,
            profileParts.isEmpty || bytes[13] == profilePartCount
        else { throw .oddHeader }
        profilePartCount = Int(bytes[13])
        profileParts.append(place.dropFirst(14))
    }
}

extension Span<UInt8> {
    fileprivate func begins(with letters: StaticString) -> Bool {
        guard count >= letters.utf8CodeUnitCount else { return false }
        return letters.withUTF8Buffer { letters in
            for (index, letter) in letters.enumerated() where self[index] != letter { return false }
            return true
        }
    }
}
