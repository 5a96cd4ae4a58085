// SPDX-License-Identifier: Apache-2.0

/// Bytes that are written once, then shared: an answer's body goes from here to the socket without a copy.
///
/// **Isolation:** the storage is never written after `init`. `@unchecked Sendable` because the compiler cannot see
/// that a raw pointer is only read from here on.
package final class ImmutableBytes: @unchecked Sendable {
    /// The first byte; valid while this object lives, also if `count` is 0.
    package let pointer: UnsafeRawPointer
    /// Bytes.
    package let count: Int

    /// Calls `fill` once with writable storage of exactly `count` bytes.
    package init<E: Error>(count: Int, fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void) throws(E) {
        let storage = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 16)
        do throws(E) {
            try fill(UnsafeMutableRawBufferPointer(start: storage, count: count))
        } catch {
            storage.deallocate()
            throw error
        }
        pointer = UnsafeRawPointer(storage)
        self.count = count
    }

    /// Calls `fill` once with writable storage of `capacity` bytes; it returns how many of them count, or nil for none.
    package init?(capacity: Int, fill: (UnsafeMutableRawBufferPointer) -> Int?) {
        let storage = UnsafeMutableRawPointer.allocate(byteCount: max(capacity, 1), alignment: 16)
        guard let count = fill(UnsafeMutableRawBufferPointer(start: storage, count: capacity)) else {
            storage.deallocate()
            return nil
        }
        pointer = UnsafeRawPointer(storage)
        self.count = count
    }

    /// Copies the bytes.
    package convenience init(_ bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count) { (storage) throws(Never) in storage.copyMemory(from: bytes) }
    }

    /// Copies the bytes.
    package convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { (storage) throws(Never) in storage.copyBytes(from: bytes) }
    }

    deinit { pointer.deallocate() }

    /// The bytes without a copy; valid while this object lives.
    package var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: pointer, count: count) }
}
