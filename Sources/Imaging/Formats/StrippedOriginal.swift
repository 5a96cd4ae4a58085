// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// An original's own bytes without what is no picture: camera data, positions, texts, profiles, thumbnails and whatever
/// stands behind the end. They are the answer where writing the picture again would make it bigger.
///
/// Every container keeps a short list of the parts that pixels are made of; what is not on it goes, known or not.
package enum StrippedOriginal {
    /// Nil if the file is not whole, or of a kind whose picture cannot be told apart from the rest.
    package static func of(_ file: UnsafeRawBufferPointer, _ format: ImageFormat) -> [UInt8]? {
        let parts: [Range<Int>]?
        switch format {
        case .jpeg: parts = JPEGContainer.picture(file)
        case .png: parts = PNGContainer.picture(file)
        case .gif: parts = GIFContainer.picture(file)
        case .avif: parts = AVIFContainer.picture(file)
        case .webp:
            // Sizes and flags are corrected in place, so this works on a copy.
            var copy = [UInt8](file)
            return copy.withUnsafeMutableBytes { copy in
                WebPContainer.isWhole(copy) ? gathered(WebPContainer.strip(copy), of: .init(copy)) : nil
            }
        default: parts = nil
        }
        return parts.map { gathered($0, of: file) }
    }

    private static func gathered(_ parts: [Range<Int>], of file: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parts.reduce(0) { $0 + $1.count })
        for part in parts { bytes += file[part] }
        return bytes
    }
}
