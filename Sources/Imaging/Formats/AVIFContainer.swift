// SPDX-License-Identifier: Apache-2.0
// AVIF is ISO-BMFF (ISO/IEC 14496-12): boxes of 32-bit size, type and payload, nested. meta/iinf lists the items of a
// picture, and offsets into the file locate their bytes. To remove an item would mean to rewrite the rest.

enum AVIFContainer {
    private static let items: Set<String> = ["av01", "grid", "iovl"]

    /// The whole file if it holds nothing but the picture, else nil.
    static func picture(_ file: UnsafeRawBufferPointer) -> [Range<Int>]? {
        guard let boxes = boxes(file, in: 0..<file.count) else { return nil }
        guard boxes.allSatisfy({ ["ftyp", "meta", "mdat"].contains($0.type) }),
            boxes.filter({ $0.type == "meta" }).count == 1, let brands = boxes.first, brands.type == "ftyp",
            isNamed(file, brands.payload),
            let meta = boxes.first(where: { $0.type == "meta" }), meta.payload.count > 4,
            // A full box: version and flags come first.
            let inner = self.boxes(file, in: meta.payload.dropFirst(4)),
            !inner.contains(where: { $0.type == "uuid" || $0.type == "xml " }),
            let list = inner.first(where: { $0.type == "iinf" }), list.payload.count > 6
        else { return nil }
        // Version 0 counts with 16 bits, later ones with 32.
        let skipped = file[list.payload.lowerBound] == 0 ? 6 : 8
        guard let entries = self.boxes(file, in: list.payload.dropFirst(skipped)), !entries.isEmpty else {
            return nil
        }
        for entry in entries {
            // infe, version 2: flags, 16-bit number, protection, then the type.
            guard entry.type == "infe", entry.payload.count >= 12, file[entry.payload.lowerBound] == 2 else {
                return nil
            }
            guard items.contains(letters(file, entry.payload.lowerBound + 8)) else { return nil }
        }
        return [0..<file.count]
    }

    /// The brands must name AVIF, because browsers go by the brands whereas our format comes from the coding.
    private static func isNamed(_ file: UnsafeRawBufferPointer, _ brands: Range<Int>) -> Bool {
        stride(from: brands.lowerBound, through: brands.upperBound - 4, by: 4).contains {
            letters(file, $0) == "avif"
        }
    }

    private static func boxes(
        _ file: UnsafeRawBufferPointer, in range: Range<Int>
    ) -> [(type: String, payload: Range<Int>)]? {
        var boxes: [(type: String, payload: Range<Int>)] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard range.upperBound - offset >= 8 else { return nil }
            let size = Int(UInt32(bigEndian: file.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            // Size 0 means to the end and size 1 announces 64 bits; small pictures use neither.
            guard size >= 8, size <= range.upperBound - offset else { return nil }
            boxes.append((letters(file, offset + 4), offset + 8..<offset + size))
            offset += size
        }
        return boxes
    }

    private static func letters(_ file: UnsafeRawBufferPointer, _ offset: Int) -> String {
        String(decoding: file[offset..<offset + 4], as: UTF8.self)
    }
}
