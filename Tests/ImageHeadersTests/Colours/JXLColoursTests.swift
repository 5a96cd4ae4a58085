// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

/// The colours follow the descriptions of the extra channels (ISO/IEC 18181-1 §E.2).
@Suite struct JXLColoursTests {
    private typealias Fields = JXLStream.Fields

    private let eight: Fields = [(0, 1), (0, 2), (1, 1)]
    private let ten: Fields = [(0, 1), (1, 2), (0, 1)]
    /// Floating-point numbers of 32 bits, with an exponent of 8.
    private let float: Fields = [(1, 1), (0, 2), (7, 4), (0, 1)]
    private let opaque: Fields = [(0, 2)]
    /// One extra channel: alpha, by default.
    private let alpha: Fields = [(1, 2), (1, 1)]
    /// XYB, not the default, without a profile.
    private let rgb: Fields = [(1, 1), (0, 1), (0, 1), (0, 2)]
    private let grey: Fields = [(0, 1), (0, 1), (0, 1), (1, 2)]
    private let daylight: Fields = [(1, 2)]
    private let ofSRGB: Fields = [(1, 2)]
    private let wide: Fields = [(2, 2), (7, 4)]
    private let p3: Fields = [(2, 2), (9, 4)]
    private let pq: Fields = [(0, 1), (2, 2), (14, 4)]
    private let linear: Fields = [(0, 1), (2, 2), (6, 4)]
    private let hlg: Fields = [(0, 1), (3, 2), (0, 6)]

    private let bt2020 = Chromaticities(
        red: .init(0.708, 0.292), green: .init(0.17, 0.797), blue: .init(0.131, 0.046))

    private func colours(_ parts: Fields...) -> ColourDescription? {
        JXLColours.read(HeaderBytes(JXLStream.make([JXLStream.start] + parts)))
    }

    @Test func `linear light, PQ and HLG are described, with their primaries`() {
        let usual = ColourDescription.Transfer.perceptualQuantizer(peak: 4_000)
        #expect(
            colours(eight, opaque, rgb, daylight, wide, pq)
                == ColourDescription(primaries: bt2020, transfer: usual, depth: 8))
        #expect(
            colours(ten, alpha, rgb, daylight, wide, hlg)
                == ColourDescription(primaries: bt2020, transfer: .hybridLogGamma, depth: 16))
        #expect(
            colours(ten, opaque, rgb, daylight, p3, pq)
                == ColourDescription(primaries: .displayP3, transfer: usual, depth: 16))
        #expect(
            colours(float, alpha, rgb, daylight, wide, linear)
                == ColourDescription(primaries: bt2020, transfer: .power(1), depth: 16))
        #expect(
            colours(ten, opaque, grey, daylight, pq)
                == ColourDescription(primaries: .sRGB, transfer: usual, depth: 16))
    }

    @Test func `white and primaries may be points of their own`() throws {
        // 0.3 and 0.6, twice as many millionths, the second behind 1,048,576.
        let point: Fields = [(1, 2), (600_000 - 524_288, 19), (2, 2), (1_200_000 - 1_048_576, 20)]
        let points: Fields = [(2, 2), (0, 4)] + point + point + point
        let found = try #require(colours(ten, opaque, rgb, [(2, 2), (9, 4)], points, pq))
        #expect(found.primaries.white == .init(0.314, 0.351))
        #expect(found.primaries.red == .init(0.3, 0.6) && found.primaries.blue == .init(0.3, 0.6))
        let white = try #require(colours(ten, opaque, rgb, [(2, 2), (0, 4)] + point, ofSRGB, pq))
        #expect(white.primaries.white == .init(0.3, 0.6))
        #expect(white.primaries.red == Chromaticities.sRGB.red)
    }

    @Test func `what libjxl's profile tells is not described`() {
        let transferOfSRGB: Fields = [(0, 1), (2, 2), (11, 4)]
        let gamma: Fields = [(1, 1), (4_545_455, 24)]
        #expect(colours(eight, opaque, rgb, daylight, p3, transferOfSRGB) == nil)
        #expect(colours(eight, opaque, rgb, daylight, wide, gamma) == nil)
        #expect(colours(eight, opaque, [(1, 1), (1, 1)]) == nil, "sRGB")
        #expect(colours(eight, opaque, [(0, 1), (0, 1), (1, 1), (0, 2)], daylight, wide, pq) == nil, "ICC")
        #expect(JXLColours.read(HeaderBytes(JXLStream.make([[(1, 1), (1, 5), (1, 3), (1, 1)]]))) == nil)
    }

    @Test func `XYB that libjxl cannot return as described is linear light of sRGB`() {
        func light(_ depth: Int) -> ColourDescription {
            ColourDescription(primaries: .sRGB, transfer: .power(1), depth: depth)
        }
        let profile: Fields = [(1, 1), (0, 1), (1, 1), (0, 2)]
        #expect(colours(eight, opaque, profile) == light(8))
        #expect(colours(ten, opaque, profile) == light(16))
        #expect(colours(float, alpha, profile) == light(16))
        let greyXYB: Fields = [(1, 1), (0, 1), (0, 1), (1, 2)]
        let equalEnergy: Fields = [(2, 2), (8, 4)]
        let transferOfSRGB: Fields = [(0, 1), (2, 2), (11, 4)]
        for transfer in [transferOfSRGB, pq, hlg] {
            #expect(colours(eight, opaque, greyXYB, equalEnergy, transfer) == light(8))
            #expect(colours(ten, opaque, greyXYB, equalEnergy, transfer) == light(16))
        }
        #expect(colours(ten, opaque, greyXYB, daylight, transferOfSRGB) == nil)
        #expect(colours(ten, opaque, grey, equalEnergy, transferOfSRGB) == nil)
        #expect(colours(ten, opaque, rgb, equalEnergy, ofSRGB, transferOfSRGB) == nil)
    }

    @Test func `a file that ends before its transfer describes nothing`() {
        let whole = JXLStream.make([JXLStream.start, ten, opaque, rgb, daylight, wide, pq])
        #expect(JXLColours.read(HeaderBytes(whole)) != nil)
        for length in whole.indices {
            #expect(JXLColours.read(HeaderBytes(Array(whole.prefix(length)))) == nil, "\(length)")
        }
    }
}
