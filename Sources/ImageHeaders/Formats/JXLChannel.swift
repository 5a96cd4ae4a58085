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

/// The description of an extra channel of a JPEG XL.
struct JXLChannel {
    // Types of channels (§D.3.6).
    private static let alpha = 0
    private static let spotColour = 2
    private static let filterArray = 5

    let isAlpha: Bool
    /// True for alpha that the colours are multiplied by.
    let isAssociated: Bool

    init(_ bits: inout JXLBits) throws(ImageHeaderError) {
        guard try bits.next(1) == 0 else {
            (isAlpha, isAssociated) = (true, false)
            return
        }
        let type = try bits.number(JXLHeader.channelTypes)
        _ = try JXLHeader.readDepth(&bits)
        try bits.skip([0, 0, 0, 3])
        let letters = try bits.number([(0, 0), (4, 0), (5, 16), (10, 48)])
        try bits.skip(8 * letters)
        var isMultiplied = false
        switch type {
        case Self.alpha: isMultiplied = try bits.next(1) == 1
        // Red, green, blue and the opacity, 16 bits each.
        case Self.spotColour: try bits.skip(4 * 16)
        case Self.filterArray: try bits.skip([0, 2, 4, 8])
        default: break
        }
        (isAlpha, isAssociated) = (type == Self.alpha, isMultiplied)
    }
}
