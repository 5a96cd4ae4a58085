// SPDX-License-Identifier: Apache-2.0
//
// A description of each extra channel follows the number of channels (ISO/IEC 18181-1 §D.3.6):
//
//     1 all default: alpha of 8 bits, not associated; if not
//         type            2 bits that select 0 (alpha), 1, 2 + 4 bits, 18 + 6 bits
//         BitDepth        as that of the colours
//         shift of size   2 that select 0, 3, 4, 1 + 3 bits
//         name            2 that select 0, 4 bits, 16 + 5, 48 + 10: the length; then as many bytes
//         for alpha       1 associated: the colours are multiplied by it

/// Whether a JPEG XL's colours are premultiplied by alpha.
package enum JXLAlpha {
    /// Bytes of the codestream that are read: enough for a few channels with long names.
    private static let reach = 4_096
    // Types of channels (§D.3.6).
    private static let alpha = 0
    private static let spotColour = 2
    private static let filterArray = 5

    /// True if the colours are multiplied by alpha. libvips returns them unchanged.
    package static func isMultiplied(_ source: some HeaderSource) -> Bool {
        source.reading(isMultiplied) ?? false
    }

    private static func isMultiplied(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Bool {
        var bits = try JXLHeader.fields(&reader, bytes: reach)
        _ = try JXLHeader.readSize(&bits)
        guard try bits.next(1) == 0 else { return false }
        let hasFields = try bits.next(1) == 1
        if hasFields { try bits.skip(3) }
        let channels = try JXLHeader.readChannels(&bits, behindFields: hasFields)
        // Only the first alpha channel counts.
        for _ in 0..<channels.extra {
            if try bits.next(1) == 1 { return false }
            let type = try bits.number(JXLHeader.channelTypes)
            _ = try JXLHeader.readDepth(&bits)
            try bits.skip([0, 0, 0, 3])
            let letters = try bits.number([(0, 0), (4, 0), (5, 16), (10, 48)])
            try bits.skip(8 * letters)
            if type == alpha { return try bits.next(1) == 1 }
            try skipRest(of: type, &bits)
        }
        return false
    }

    /// Skips the fields that only channels of this type have.
    private static func skipRest(of type: Int, _ bits: inout JXLBits) throws(ImageHeaderError) {
        switch type {
        // Red, green, blue and the opacity, 16 bits each.
        case spotColour: try bits.skip(4 * 16)
        case filterArray: try bits.skip([0, 2, 4, 8])
        default: break
        }
    }
}
