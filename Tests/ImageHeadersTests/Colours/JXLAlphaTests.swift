// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

/// The descriptions of extra channels follow their number (ISO/IEC 18181-1 §D.3.6).
@Suite struct JXLAlphaTests {
    private typealias Fields = JXLStream.Fields

    /// 16 × 16, no extra fields, 8 bits.
    private let start: Fields = JXLStream.start + [(0, 1), (0, 2), (1, 1)]
    private let one: Fields = [(1, 2)]
    private let plainAlpha: Fields = [(1, 1)]
    private let associated: Fields = [(0, 1), (0, 2), (0, 1), (0, 2), (0, 2), (0, 2), (1, 1)]
    private let separate: Fields = [(0, 1), (0, 2), (0, 1), (0, 2), (0, 2), (0, 2), (0, 1)]
    /// Named "ab", of a quarter of the size, in floats of 32 bits with an exponent of 8.
    private let depth: Fields = [
        (0, 1), (1, 2), (1, 1), (0, 2), (7, 4), (2, 2), (1, 2), (2, 4), (0x61, 8), (0x62, 8),
    ]
    private let spot: Fields =
        [(0, 1), (2, 2), (0, 4), (0, 1), (0, 2), (0, 2), (0, 2)]
        + Fields(
            repeating: (0xFFFF, 16), count: 4)
    private let filter: Fields = [(0, 1), (2, 2), (3, 4), (0, 1), (0, 2), (0, 2), (0, 2), (2, 2), (15, 4)]

    private func stream(_ parts: Fields...) -> [UInt8] { JXLStream.make(parts) }

    private func isMultiplied(_ file: [UInt8]) -> Bool { JXLAlpha.isMultiplied(HeaderBytes(file)) }

    @Test func `alpha is associated where its channel says so`() {
        #expect(isMultiplied(stream(start, one, associated)))
        #expect(!isMultiplied(stream(start, one, separate)))
        #expect(!isMultiplied(stream(start, one, plainAlpha, [(0x3F, 6)])))
        #expect(!isMultiplied(stream(start, [(0, 2)], associated)), "no channel")
        #expect(!isMultiplied(stream([(1, 1), (1, 5), (1, 3), (1, 1)])), "all default")
    }

    @Test func `channels of other kinds before it are passed over, and the first alpha counts`() {
        for other in [depth, spot, filter] {
            #expect(isMultiplied(stream(start, [(2, 2), (0, 4)], other, associated)))
            #expect(!isMultiplied(stream(start, [(2, 2), (0, 4)], other, separate, [(0x3F, 6)])))
            #expect(!isMultiplied(stream(start, one, other)))
        }
        #expect(isMultiplied(stream(start, [(2, 2), (0, 4)], associated, separate)))
        #expect(!isMultiplied(stream(start, [(2, 2), (0, 4)], separate, associated)))
    }

    @Test func `a file that ends before it says so is not`() {
        let whole = stream(start, [(2, 2), (0, 4)], depth, associated)
        #expect(isMultiplied(whole))
        for length in whole.indices { #expect(!isMultiplied(Array(whole.prefix(length))), "\(length)") }
    }
}
