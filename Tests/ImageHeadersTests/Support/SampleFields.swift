// SPDX-License-Identifier: Apache-2.0

/// A field of a TIFF directory: its tag, its type, and its values.
struct TIFFField {
    var tag: Int
    var type: Int
    /// The length of a value in bytes.
    var size: Int
    var values: [Int]
    /// The number of values that is written, if it is not the true one.
    var count: Int?

    static func byte(_ tag: Int, _ values: [Int]) -> TIFFField {
        TIFFField(tag: tag, type: 1, size: 1, values: values)
    }
    static func short(_ tag: Int, _ values: [Int]) -> TIFFField {
        TIFFField(tag: tag, type: 3, size: 2, values: values)
    }
    static func long(_ tag: Int, _ values: [Int]) -> TIFFField {
        TIFFField(tag: tag, type: 4, size: 4, values: values)
    }
    static func raw(_ tag: Int, _ bytes: [UInt8]) -> TIFFField {
        TIFFField(tag: tag, type: 7, size: 1, values: bytes.map(Int.init))
    }
    static func fraction(_ tag: Int, _ numerator: Int, _ denominator: Int) -> TIFFField {
        TIFFField(tag: tag, type: 5, size: 4, values: [numerator, denominator], count: 1)
    }

    /// A stream of one directory, in classic TIFF or BigTIFF. Values that do not fit into their entries follow the
    /// directory.
    static func stream(_ fields: [TIFFField], bigEndian: Bool = false, big64: Bool = false) -> [UInt8] {
        let number = bigEndian ? SampleHeaders.big : SampleHeaders.little
        let word = big64 ? 8 : 4
        let start =
            big64 ? number(43, 2) + number(8, 2) + number(0, 2) + number(16, 8) : number(42, 2) + number(8, 4)
        var bytes = Array((bigEndian ? "MM" : "II").utf8) + start + number(fields.count, big64 ? 8 : 2)
        var behind: [UInt8] = []
        let end = bytes.count + fields.count * (4 + 2 * word) + word
        for field in fields {
            let values = field.values.flatMap { number($0, field.size) }
            bytes +=
                number(field.tag, 2) + number(field.type, 2) + number(field.count ?? field.values.count, word)
            if values.count <= word {
                bytes += values + [UInt8](repeating: 0, count: word - values.count)
            } else {
                bytes += number(end + behind.count, word)
                behind += values
            }
        }
        return bytes + number(0, word) + behind
    }
}

/// Profiles with a description as their only tag.
enum SampleProfile {
    static func version2(_ name: String) -> [UInt8] {
        with(
            Array("desc".utf8) + SampleHeaders.big(0, 4) + SampleHeaders.big(name.utf8.count + 1, 4)
                + Array(name.utf8) + [0])
    }

    static func version4(_ name: String) -> [UInt8] {
        let units = name.utf16.flatMap { SampleHeaders.big(Int($0), 2) }
        return with(
            Array("mluc".utf8) + SampleHeaders.big(0, 4) + SampleHeaders.big(1, 4) + SampleHeaders.big(12, 4)
                + Array("enUS".utf8) + SampleHeaders.big(units.count, 4) + SampleHeaders.big(28, 4) + units)
    }

    static func with(_ text: [UInt8], before tags: [String] = []) -> [UInt8] {
        let offset = 132 + 12 * (tags.count + 1)
        let entries = (tags + ["desc"]).flatMap {
            Array($0.utf8) + SampleHeaders.big(offset, 4) + SampleHeaders.big(text.count, 4)
        }
        return [UInt8](repeating: 0, count: 128) + SampleHeaders.big(tags.count + 1, 4) + entries + text
    }
}
