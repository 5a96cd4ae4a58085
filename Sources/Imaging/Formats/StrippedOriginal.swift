// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// An original's own bytes without metadata: camera data, positions, texts, profiles, thumbnails and whatever follows
/// the end. They are served if encoding the picture again would make it bigger.
///
/// Every container has a short list of the parts that pixels need. All other parts are removed, known or not.
package enum StrippedOriginal {
    /// Nil if the file is not whole, or if the format's picture cannot be separated from its metadata.
    package static func of(_ file: UnsafeRawBufferPointer, _ format: ImageFormat) -> [UInt8]? {
        guard format == .webp else { return parts(of: file, format).map { gathered($0, of: file) } }
        // `strip` corrects sizes and flags in place, so it gets a copy.
        var copy = [UInt8](file)
        return copy.withUnsafeMutableBytes { copy in
            WebPContainer.isWhole(copy) ? gathered(WebPContainer.strip(copy), of: .init(copy)) : nil
        }
    }

    /// The ranges of these bytes in the file, in order; nil as well for a WebP, in which bytes have to be corrected.
    package static func parts(of file: UnsafeRawBufferPointer, _ format: ImageFormat) -> [Range<Int>]? {
        let parts: [Range<Int>]?
        switch format {
        case .jpeg: parts = JPEGContainer.picture(file)
        case .png: parts = PNGContainer.picture(file)
        case .gif: parts = GIFContainer.picture(file)
        case .avif: parts = AVIFContainer.picture(file)
        default: parts = nil
        }
        return parts.map(joined)
    }

    /// The ranges with adjacent ones joined: a PNG may have a thousand of these.
    private static func joined(_ parts: [Range<Int>]) -> [Range<Int>] {
        parts.reduce(into: []) { joined, part in
            if let last = joined.last, last.upperBound == part.lowerBound {
                joined[joined.count - 1] = last.lowerBound..<part.upperBound
            } else {
                joined.append(part)
            }
        }
    }

    private static func gathered(_ parts: [Range<Int>], of file: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parts.reduce(0) { $0 + $1.count })
        for part in parts { bytes += file[part] }
        return bytes
    }
}
