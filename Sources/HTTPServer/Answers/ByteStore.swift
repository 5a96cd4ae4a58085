// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A growable buffer for bytes that were read but cannot be used yet: the beginning of a head, or requests behind one that is being
/// answered.
struct ByteStore: ~Copyable {
    /// Bytes of the smallest capacity.
    static let least = 1024

    private(set) var count = 0
    private var capacity: Int
    private var storage: UnsafeMutableRawPointer

    init(capacity: Int) {
        self.capacity = capacity
        storage = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { storage.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: storage, count: count) }

    /// The free space for the next bytes, at least 1 byte. The capacity doubles when there is none left.
    mutating func space() -> UnsafeMutableRawBufferPointer {
        if count == capacity { grow() }
        return UnsafeMutableRawBufferPointer(start: storage + count, count: capacity - count)
    }

    /// Counts the bytes of the space that were filled.
    mutating func commit(_ added: Int) { count += added }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        while capacity - count < bytes.count { grow() }
        memcpy(storage + count, source, bytes.count)
        count += bytes.count
    }

    /// Removes bytes, and gives back capacity that the rest does not need, because a connection may stay idle with the rest.
    mutating func removeFirst(_ consumed: Int) {
        memmove(storage, storage + consumed, count - consumed)
        count -= consumed
        if capacity > Self.least, count <= Self.least { resize(to: Self.least) }
    }

    private mutating func grow() { resize(to: 2 * capacity) }

    private mutating func resize(to capacity: Int) {
        let resized = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        memcpy(resized, storage, count)
        storage.deallocate()
        (self.capacity, storage) = (capacity, resized)
    }
}
