// SPDX-License-Identifier: Apache-2.0

/// The thumbnails of a HEIF's picture.
package enum ISOMediaThumbnail {
    /// False if one may be in a coding of which no frame was held against limits and price: it is not to be decoded then.
    package static func isMeasured(_ source: some HeaderSource) -> Bool {
        source.reading { reader in
            let frames = try ISOMediaFrames.read(ISOMediaItems(&reader), &reader)
            return !frames.hasForeignThumbnail && !reader.isExhausted
        } ?? false
    }
}
