// SPDX-License-Identifier: Apache-2.0

/// Writes field values and numbers into the caller's storage, without allocating.
///
/// A value that does not fit is left out as a whole, and so is everything after it; `isComplete` is false then.
package struct ByteWriter {
    private let storage: UnsafeMutableRawBufferPointer
    /// Bytes written so far.
    package private(set) var count = 0
    /// False once a value did not fit.
    package private(set) var isComplete = true

    /// `storage` must outlive the writer.
    package init(_ storage: UnsafeMutableRawBufferPointer) { self.storage = storage }

    /// Appends text as it is.
    package mutating func append(_ text: String) { text.withFieldBytes { append($0) } }

    /// Appends bytes as they are.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if let place = reserve(bytes.count) { place.copyMemory(from: bytes) }
    }

    /// Appends a decimal number.
    package mutating func append(_ number: Int) {
        var rest = number.magnitude
        var digits = 1
        var limit: UInt = 10
        while rest >= limit, digits < 20 {
            digits += 1
            // 20 digits hold every UInt, so the last limit is never reached by a comparison.
            limit = digits < 20 ? limit * 10 : .max
        }
        let sign = number < 0 ? 1 : 0
        guard let place = reserve(sign + digits) else { return }
        // Cannot trap: a number has a digit after its sign.
        if sign == 1 { place[0] = .dash }
        for index in stride(from: digits - 1, through: 0, by: -1) {
            place[sign + index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Appends an IMF-fixdate.
    package mutating func append(_ time: Timestamp) {
        if let place = reserve(HTTPDate.length) { HTTPDate.write(time, to: place) }
    }

    private mutating func reserve(_ length: Int) -> UnsafeMutableRawBufferPointer? {
        guard isComplete, length <= storage.count - count else {
            isComplete = false
            return nil
        }
        defer { count += length }
        return UnsafeMutableRawBufferPointer(rebasing: storage[count..<count + length])
    }
}

extension String {
    /// The text that `write` writes; it must be UTF-8 and fit into `capacity` bytes.
    package init(capacity: Int, _ write: (inout ByteWriter) -> Void) {
        self.init(unsafeUninitializedCapacity: capacity) { storage in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(storage))
            write(&writer)
            return writer.count
        }
    }
}
