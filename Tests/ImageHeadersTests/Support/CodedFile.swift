// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

private typealias Sample = SampleHeaders

/// The digits 0 and 1 as bytes, the last one filled up with zeros.
private func bytes(_ digits: String) -> [UInt8] {
    let padded = Array(digits + String(repeating: "0", count: (8 - digits.count % 8) % 8))
    return stride(from: 0, to: padded.count, by: 8).map { UInt8(String(padded[$0..<$0 + 8]), radix: 2) ?? 0 }
}

private func digits(_ value: Int, _ count: Int) -> String {
    let short = String(value, radix: 2)
    return String(repeating: "0", count: max(0, count - short.count)) + short
}

/// The codes `ue(v)` and `uvlc()`.
private func golomb(_ value: Int) -> String {
    let code = String(value + 1, radix: 2)
    return String(repeating: "0", count: code.count - 1) + code
}

/// AV1 §5.5: sequence headers with 16 bits for each side.
enum AV1 {
    enum Form: CaseIterable { case still, moving, timed, evenlyTimed }

    static func sequence(_ width: Int, _ height: Int, _ form: Form = .still) -> [UInt8] {
        let start: String
        switch form {
        case .still: start = "000" + "1" + "1" + "00000"
        case .moving: start = "000" + "0" + "0" + "0" + "0" + "00000" + digits(0, 12) + "00100"
        // These have a decoder model, whose delays have 8 bits.
        case .timed, .evenlyTimed:
            let ticks = form == .timed ? "0" : "1" + golomb(5)
            let model = "1" + "00111" + digits(1, 32) + "00000" + "00000"
            let point = digits(0, 12) + "01001" + "1" + "1" + digits(3, 8) + digits(3, 8) + "1" + "1" + "0000"
            start =
                "000" + "0" + "0" + "1" + digits(1, 32) + digits(2, 32) + ticks + model + "1" + "00000"
                + point
        }
        let sides = "1111" + "1111" + digits(width - 1, 16) + digits(height - 1, 16)
        let numbers = form == .still ? "" : "1" + "0000" + "000"
        let tools = form == .still ? "" : "0000" + "1" + "00" + "1" + "1" + "111"
        return unit(
            1, bytes(start + sides + numbers + "000" + tools + "000" + "0" + "0" + "0" + "1" + "0000"))
    }

    /// A key frame that is shown, up to the flag for its own size (§5.9.2); not for a still picture.
    static func frame(_ form: Form, hasOwnSize: Bool) -> [UInt8] {
        let start = "0" + "00" + "1" + (form == .timed ? "1" : "")
        return unit(6, bytes(start + "1" + "0" + "000" + (hasOwnSize ? "1" : "0") + "0000"))
    }

    static func unit(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
        [type << 3 | 2, UInt8(content.count)] + content
    }

    static let delimiter = unit(2, [])

    static func av1C(_ units: [UInt8] = []) -> [UInt8] { Sample.box("av1C", [0x81, 0, 0x0C, 0] + units) }
}

/// H.265 §7.3.2.2.
enum HEVC {
    /// A sequence parameter set.
    static func set(_ width: Int, _ height: Int, layers: Int = 0, chroma: Int = 1) -> [UInt8] {
        var told = "0000" + digits(layers, 3) + "1" + digits(0, 96)
        if layers > 0 {
            told += String(repeating: "11", count: layers) + digits(0, 2 * (8 - layers))
            told += digits(0, 96 * layers)
        }
        told += golomb(0) + golomb(chroma) + (chroma == 3 ? "0" : "") + golomb(width) + golomb(height)
        return [0x42, 1] + escaped(bytes(told + "1"))
    }

    static func hvcC(_ width: Int, _ height: Int, layers: Int = 0, chroma: Int = 1) -> [UInt8] {
        hvcC([([0x40, 1, 7], 32), (set(width, height, layers: layers, chroma: chroma), 0x80 | 33)])
    }

    /// Units, each in an array of its own, with the type that the array declares.
    static func hvcC(_ units: [(bytes: [UInt8], type: UInt8)]) -> [UInt8] {
        let arrays: [UInt8] = units.flatMap { unit -> [UInt8] in
            [unit.type, 0, 1] + Sample.big(unit.bytes.count, 2) + unit.bytes
        }
        return Sample.box(
            "hvcC",
            [UInt8](repeating: 0xFC, count: 17) + [0xF8, 0xF8, 0, 0, 3, UInt8(units.count)] + arrays)
    }

    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        var (out, zeros) = ([UInt8](), 0)
        for byte in bytes {
            if zeros >= 2, byte <= 3 { (out, zeros) = (out + [3], 0) }
            out.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return out
    }
}

/// HEIFs of items, each with its properties and bytes.
enum CodedFile {
    /// A file of items, each with its type, its properties and its bytes; the first one is primary.
    /// - Parameters:
    ///   - parts: the number of parts in which the file stores each item's bytes; all but the last have one
    ///     byte.
    ///   - hasEmptyPart: true if an empty part comes before them.
    static func make(
        _ items: [(type: String, properties: [[UInt8]], bytes: [UInt8])],
        references: [(type: String, from: Int, to: [Int])] = [], inside: Bool = false, parts: Int = 1,
        hasEmptyPart: Bool = false
    ) -> [UInt8] {
        var (properties, ipma, infe) = ([[UInt8]](), Sample.big(items.count, 4), [UInt8]())
        for (index, item) in items.enumerated() {
            ipma += Sample.big(index + 1, 2) + [UInt8(item.properties.count)]
            for property in item.properties {
                if !properties.contains(property) { properties.append(property) }
                ipma.append(UInt8((properties.firstIndex(of: property) ?? 0) + 1))
            }
            infe += Sample.box(
                "infe", [2, 0, 0, 0] + Sample.big(index + 1, 2) + [0, 0] + Array(item.type.utf8) + [0])
        }
        let iprp = Sample.box(
            "iprp", Sample.box("ipco", properties.flatMap { $0 }) + Sample.box("ipma", [0, 0, 0, 0] + ipma))
        let iref = Sample.box(
            "iref",
            [0, 0, 0, 0]
                + references.flatMap { reference in
                    Sample.box(
                        reference.type,
                        Sample.big(reference.from, 2) + Sample.big(reference.to.count, 2)
                            + reference.to.flatMap { Sample.big($0, 2) })
                })
        let data = items.flatMap(\.bytes)
        func whole(_ start: Int) -> [UInt8] {
            var (iloc, place) = ([1, 0, 0, 0, 0x44, 0] + Sample.big(items.count, 2), start)
            for (index, item) in items.enumerated() {
                iloc += Sample.big(index + 1, 2) + [0, inside ? 1 : 0, 0, 0]
                iloc += Sample.big(hasEmptyPart ? parts + 1 : parts, 2)
                if hasEmptyPart { iloc += Sample.big(0, 4) + Sample.big(0, 4) }
                for part in 1...parts {
                    let length = part < parts ? 1 : item.bytes.count - parts + 1
                    iloc += Sample.big(place, 4) + Sample.big(length, 4)
                    place += length
                }
            }
            let meta =
                Sample.box("pitm", [0, 0, 0, 0, 0, 1])
                + Sample.box("iinf", [0, 0, 0, 0] + Sample.big(items.count, 2) + infe)
                + iprp + iref + Sample.box("iloc", iloc) + (inside ? Sample.box("idat", data) : [])
            return Sample.box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("mif1".utf8))
                + Sample.box("meta", [0, 0, 0, 0] + meta) + (inside ? [] : Sample.box("mdat", data))
        }
        return inside ? whole(0) : whole(whole(0).count - data.count)
    }

    /// Expects the header to count enough decoded pixels, and at most one step too many; exactly the shown
    /// ones if no others are decoded.
    static func expectFits(
        _ bytes: [UInt8], shown: Int, decoded: Int, _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let header = try ImageHeader.parse(bytes)
        #expect(header.width * header.height == shown, comment, sourceLocation: sourceLocation)
        #expect(header.decodedPixels >= decoded, comment, sourceLocation: sourceLocation)
        #expect(header.decodedPixels <= 16 * decoded, comment, sourceLocation: sourceLocation)
        if decoded == shown {
            #expect(header.decodedPixels == shown, comment, sourceLocation: sourceLocation)
        }
    }
}
