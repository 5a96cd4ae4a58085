// SPDX-License-Identifier: Apache-2.0
//
// ISO/IEC 18181-1 §D.3 and §E.2. Behind the extra channels (JXLChannel):
//
//     1 XYB · 1 all default: sRGB; if not
//         1 has an ICC profile
//         colour space    coded as a channel's type: 0 is RGB, 1 is grey

extension ImageDetails {
    private static let greyOfJXL = 1

    mutating func readJXL(_ reader: inout HeaderReader) throws(ImageHeaderError) {
        guard let metadata = try JXLHeader.readMetadata(&reader) else { return }
        var bits = metadata.bits
        let channels = metadata.channels
        let alpha = channels.extra > 0 ? 1 : 0
        setChannels(3 + alpha, bits: channels.depth)
        if channels.isFloat { depth = .float }
        for _ in 0..<channels.extra { _ = try JXLChannel(&bits) }
        try bits.skip(1)
        guard try bits.next(1) == 0 else { return }
        let isDescribed = try bits.next(1) == 1
        if try bits.number(JXLHeader.channelTypes) == Self.greyOfJXL {
            setChannels(1 + alpha, bits: channels.depth)
            if channels.isFloat { depth = .float }
        }
        if isDescribed { setProfile(nil) }
    }
}
