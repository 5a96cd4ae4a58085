// SPDX-License-Identifier: Apache-2.0

/// Whether a JPEG XL's colours are premultiplied by alpha.
package enum JXLAlpha {
    /// True if the colours are multiplied by alpha. libvips returns them unchanged.
    package static func isMultiplied(_ source: some HeaderSource) -> Bool {
        source.reading(isMultiplied) ?? false
    }

    private static func isMultiplied(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Bool {
        guard let metadata = try JXLHeader.readMetadata(&reader) else { return false }
        var bits = metadata.bits
        // Only the first alpha channel counts.
        for _ in 0..<metadata.channels.extra {
            let channel = try JXLChannel(&bits)
            if channel.isAlpha { return channel.isAssociated }
        }
        return false
    }
}
