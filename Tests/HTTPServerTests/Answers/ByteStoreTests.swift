// SPDX-License-Identifier: Apache-2.0

@testable import HTTPServer
import Testing

@Suite("Bytes that were read and wait")
struct ByteStoreTests {
    @Test func `keep no more room than they need once most of them are done with`() {
        var store = ByteStore(capacity: 1024)
        let head = [UInt8](repeating: 0x41, count: 20_000)
        head.withUnsafeBytes { store.append($0) }
        [UInt8]([13, 10]).withUnsafeBytes { store.append($0) }
        store.removeFirst(20_000)
        #expect(Array(store.bytes) == [13, 10])
        #expect(store.space().count == ByteStore.least - 2)
        head.withUnsafeBytes { store.append($0) }
        #expect(store.count == 20_002 && Array(store.bytes.prefix(3)) == [13, 10, 0x41])
    }
}
