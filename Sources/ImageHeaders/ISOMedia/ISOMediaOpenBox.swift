// SPDX-License-Identifier: Apache-2.0

/// A HEIF whose `meta` has size 0, which means that the box reaches to the end of the file (ISO/IEC 14496-12 §4.2). libheif 1.15, as
/// in Debian 12, finds no `meta` in such a file.
package enum ISOMediaOpenBox {
    /// The offset of that box; nil if it has a size, or is missing.
    package static func meta(_ source: some HeaderSource) -> Int? {
        source.reading { reader -> Int? in
            guard let content = try ISOMediaHeader.child("meta", in: 0..<reader.length, &reader) else {
                return nil
            }
            // A 64-bit size would follow the type, at these 8 bytes.
            let start = content.lowerBound - 8
            return try reader.has("meta", at: start + 4) && reader.big32(at: start) == 0 ? start : nil
        } ?? nil
    }
}
