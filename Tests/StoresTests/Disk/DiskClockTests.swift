// SPDX-License-Identifier: Apache-2.0

import Foundation
import Pipeline
@testable import Stores
import Testing

@Suite struct DiskClockTests {
    private static let years: Int64 = 5 * 365 * 86_400

    @Test(arguments: [years, -years])
    func `a clock that jumps by years loses nothing, and the row follows it`(jump: Int64) throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        for number in 0..<20 { try store.keep(rendition: Picture(number)) }
        store.flush()
        cache.pass(seconds: jump)
        for number in 0..<20 { #expect(store.bytes(rendition: number) == Picture(number).bytes) }
        store.flush()
        #expect(try cache.accessed(3) == 1_700_000_000 + jump)
        store.close()
        let second = try cache.open()
        defer { second.close() }
        #expect(second.statistics.renditions == 20)
    }

    @Test func `after the clock was set back, what is in use stays and the rest leaves first`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        cache.pass(seconds: Self.years)
        let first = try cache.open()
        for number in 0..<400 { try first.keep(rendition: Picture(number, length: 100)) }
        cache.pass(seconds: -Self.years)
        for number in 0..<100 { #expect(first.rendition(Picture.renditionKey(number)) != nil) }
        for number in 400..<500 { try first.keep(rendition: Picture(number, length: 100)) }
        first.close()
        let second = try cache.open { $0.renditionsBudget = 250 * 4_096 }
        defer { second.close() }
        second.flush()
        let isHeld = { second.rendition(Picture.renditionKey($0)) != nil }
        #expect((0..<100).filter(isHeld).count >= 90, "in use")
        #expect((400..<500).filter(isHeld).count >= 90, "new")
        #expect((100..<400).filter(isHeld).count <= 45, "not since")
    }
}
