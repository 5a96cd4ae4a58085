// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

/// The depth precedes the extra channels, and the colours follow them (ISO/IEC 18181-1 §D.3, §E.2).
@Suite struct JXLDetailsTests {
    private typealias Fields = JXLStream.Fields

    private let eight: Fields = [(0, 1), (0, 2), (1, 1)]
    /// 16 bits: 15 more than 1.
    private let sixteen: Fields = [(0, 1), (3, 2), (15, 6), (0, 1)]
    /// Floating-point numbers of 32 bits, with an exponent of 8.
    private let float: Fields = [(1, 1), (0, 2), (7, 4), (0, 1)]
    private let opaque: Fields = [(0, 2)]
    /// One extra channel: alpha, by default.
    private let alpha: Fields = [(1, 2), (1, 1)]
    private let sRGB: Fields = [(1, 1), (1, 1)]
    private let grey: Fields = [(0, 1), (0, 1), (0, 1), (1, 2)]
    private let profile: Fields = [(0, 1), (0, 1), (1, 1), (0, 2)]

    private func details(_ parts: Fields...) throws -> ImageDetails {
        try details(JXLStream.make([JXLStream.start] + parts))
    }

    private func details(_ file: [UInt8]) throws -> ImageDetails {
        ImageDetails.parse(HeaderBytes(file), header: try ImageHeader.parse(file))
    }

    @Test func `the depth and the channels are those of the stored samples`() throws {
        let rows: [(Fields, Fields, Fields, ImageDetails.Space, Int, ImageDetails.Depth)] = [
            (eight, opaque, sRGB, .srgb, 3, .uchar), (eight, alpha, sRGB, .srgb, 4, .uchar),
            (eight, opaque, grey, .grey, 1, .uchar), (eight, alpha, grey, .grey, 2, .uchar),
            (sixteen, opaque, sRGB, .rgb16, 3, .ushort), (sixteen, alpha, sRGB, .rgb16, 4, .ushort),
            (sixteen, opaque, grey, .grey16, 1, .ushort), (sixteen, alpha, grey, .grey16, 2, .ushort),
            (float, opaque, sRGB, .rgb16, 3, .float), (float, alpha, grey, .grey16, 2, .float),
        ]
        for (depth, channels, colours, space, count, kind) in rows {
            let found = try details(depth, channels, colours)
            #expect((found.space, found.channels, found.depth) == (space, count, kind))
            #expect(!found.hasProfile)
        }
    }

    @Test func `metadata that are all default are eight bits of sRGB`() throws {
        let found = try details(JXLStream.make([[(1, 1), (1, 5), (1, 3), (1, 1)]]))
        #expect((found.space, found.channels, found.depth) == (.srgb, 3, .uchar))
    }

    @Test func `an ICC profile is told, without its name, which is packed`() throws {
        let found = try details(eight, opaque, profile)
        #expect(found.hasProfile && found.profile == nil)
    }

    @Test func `what was read before the file ends is kept`() throws {
        let whole = JXLStream.make([JXLStream.start, sixteen, alpha, grey])
        #expect(try details(whole).channels == 2)
        // The description of the extra channel ends with the third byte behind the mark.
        let cut = try details(Array(whole.dropLast()))
        #expect((cut.space, cut.channels, cut.depth) == (.rgb16, 4, .ushort))
    }
}
