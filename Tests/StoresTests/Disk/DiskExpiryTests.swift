// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import Pipeline
@testable import Stores
import Synchronization
import Testing

@Suite("Originals that a purge makes stale")
struct DiskExpiryTests {
    private static func order(isStrict: Bool) -> PurgeOrder {
        var order = PurgeOrder(.all, isSoft: true)
        order.isStrict = isStrict
        return order
    }

    @Test func `what is expired already is counted, and not written again`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        for number in 0..<20 { try store.keep(original: Picture(number)) }
        // A strict purge after a soft one has more to write; a soft purge after a strict one has nothing to write.
        let news = try [false, true, true, false].map { isStrict in
            let before = store.writer?.writer.commits.load(ordering: .relaxed)
            let count = try store.purgeOriginals(Self.order(isStrict: isStrict)).count
            #expect(count == 20)
            return store.writer?.writer.commits.load(ordering: .relaxed) != before
        }
        #expect(news == [true, true, false, false])
        let held = try #require(store.original(Picture(3).original().key))
        #expect(held.freshness.flags.contains(.expired) && held.freshness.staleIfError == 0)
    }
}
