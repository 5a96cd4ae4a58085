// SPDX-License-Identifier: Apache-2.0
//
// An ICC profile (ICC.1:2022) of Display P3: the header (§7.2), the table of tags (§7.3), and tags of text (§10.15), XYZ
// (§10.31), a parametric curve (§10.18) and the adaptation from D65 to D50 (§9.2.15).

enum DisplayP3Profile {
    /// The profile's 492 bytes.
    static let file: [UInt8] = {
        let white = [0.9642, 1, 0.8249]
        // The sRGB curve as a parametricCurveType function of type 3.
        let curve =
            letters("para") + big32(0) + [0, 3, 0, 0]
            + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(fixed)
        // Bradford's matrix, row by row.
        let adaptation = [
            1.047886, 0.022919, -0.050216, 0.029582, 0.990484, -0.017079, -0.009252, 0.015073, 0.751678,
        ]
        let tags: [(names: [String], data: [UInt8])] = [
            (["desc"], text("Display P3")), (["cprt"], text("CC0")), (["wtpt"], xyz(white)),
            (["rXYZ"], xyz([0.515119, 0.241189, -0.00105])), (["gXYZ"], xyz([0.291978, 0.692244, 0.041879])),
            (["bXYZ"], xyz([0.157103, 0.066567, 0.784071])), (["rTRC", "gTRC", "bTRC"], curve),
            (["chad"], letters("sf32") + big32(0) + adaptation.flatMap(fixed)),
        ]
        let count = tags.reduce(0) { $0 + $1.names.count }
        var (table, data): ([UInt8], [UInt8]) = (big32(count), [])
        for tag in tags {
            let place = 132 + 12 * count + data.count
            for name in tag.names { table += letters(name) + big32(place) + big32(tag.data.count) }
            data += tag.data + [UInt8](repeating: 0, count: (4 - tag.data.count % 4) % 4)
        }
        let head =
            big32(128 + table.count + data.count) + big32(0) + [4, 0x40, 0, 0] + letters("mntrRGB XYZ ")
            + [0x07, 0xEA, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + letters("acsp") + [UInt8](repeating: 0, count: 28)
            + white.flatMap(fixed) + [UInt8](repeating: 0, count: 48)
        return head + table + data
    }()

    private static func big32(_ value: Int) -> [UInt8] { [UInt8](big: value, 4) }

    private static func letters(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func fixed(_ value: Double) -> [UInt8] { big32(Int((value * 65536).rounded())) }

    private static func xyz(_ values: [Double]) -> [UInt8] {
        letters("XYZ ") + big32(0) + values.flatMap(fixed)
    }

    /// A multiLocalizedUnicodeType with one record, in English.
    private static func text(_ words: String) -> [UInt8] {
        let utf16 = words.utf16.flatMap { [UInt8](big: Int($0), 2) }
        return letters("mluc") + big32(0) + big32(1) + big32(12) + letters("enUS") + big32(utf16.count)
            + big32(28) + utf16
    }
}
