// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

extension PictureRights {
    /// A TIFF stream (TIFF 6.0 §2) of one directory with these texts and nothing else; empty if there are no texts. The
    /// texts are UTF-8, which is what programs read, although EXIF requires ASCII.
    var exif: [UInt8] {
        let texts = [(tag: 315, artist), (tag: 33_432, copyright)].compactMap { tag, text in
            text.map { (tag: tag, bytes: Array($0.utf8) + [0]) }
        }
        guard !texts.isEmpty else { return [] }
        let big = [UInt8].init(big:_:)
        var (entries, data): ([UInt8], [UInt8]) = ([], [])
        // The data follow the header, the count, the entries and the offset of the next directory.
        let start = 8 + 2 + 12 * texts.count + 4
        for (tag, bytes) in texts {
            let place =
                bytes.count > 4
                ? big(start + data.count, 4) : bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
            entries += big(tag, 2) + big(2, 2) + big(bytes.count, 4) + place
            if bytes.count > 4 { data += bytes + [UInt8](repeating: 0, count: bytes.count % 2) }
        }
        return Array("MM\0*".utf8) + big(8, 4) + big(texts.count, 2) + entries + big(0, 4) + data
    }
}
