// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTPSemantics

/// A reusable byte buffer for the heads of answers, which grows at its end.
///
/// A written field stays one field: CR, LF, NUL and other control bytes in a value become spaces (RFC 9110
/// §5.5), and a field whose name is no token is left out.
package struct FieldBuffer: ~Copyable {
    /// Bytes written.
    package private(set) var count = 0
    private var capacity: Int
    private var storage: UnsafeMutableRawPointer

    /// - Parameter capacity: bytes to allocate at first, at least 64; the buffer doubles when it is full.
    package init(capacity: Int = 4096) {
        self.capacity = max(capacity, 64)
        storage = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { storage.deallocate() }

    /// The bytes written so far; valid until the next write.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: storage, count: count) }

    /// Drops everything after the first `length` bytes.
    package mutating func truncate(to length: Int) { count = min(count, max(length, 0)) }

    // MARK: Fields

    /// Writes a field with a decimal value; the name is not checked.
    package mutating func append(_ name: StaticString, _ value: Int) {
        open(name)
        add(value)
        close()
    }

    /// Writes a field; does nothing if the name is no token.
    package mutating func append(_ name: String, _ value: String) {
        name.withFieldBytes { append($0, value) }
    }

    /// Writes a field; does nothing if the name is no token.
    mutating func append(_ name: UnsafeRawBufferPointer, _ value: String) {
        guard ByteClass.isToken(name) else { return }
        writeRaw(name)
        writeRaw(": ")
        add(value)
        close()
    }

    /// Begins a field with a value of several parts: `add` each of them, then `close`. The program itself
    /// supplies the name, which is not checked.
    package mutating func open(_ name: StaticString) {
        writeRaw(name)
        writeRaw(": ")
    }

    /// Appends text to the open field's value; control bytes become spaces.
    package mutating func add(_ text: String) { text.withFieldBytes { add($0) } }

    /// Appends bytes to the open field's value; control bytes become spaces.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var start = 0
        while true {
            let end = ByteClass.endOfText(bytes, from: start)
            writeRaw(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            guard end < bytes.count else { return }
            writeRaw(" ")
            start = end + 1
        }
    }

    /// Appends a decimal number to the open field's value.
    package mutating func add(_ number: Int) {
        var digits: InlineArray<20, UInt8> = .init(repeating: 0)
        var rest = number.magnitude
        var start = 20
        repeat {
            start -= 1
            digits[start] = UInt8(truncatingIfNeeded: rest % 10) + UInt8(ascii: "0")
            rest /= 10
        } while rest > 0
        reserve(21)
        if number < 0 { put(UInt8(ascii: "-")) }
        for index in start..<20 { put(digits[index]) }
    }

    /// Ends the open field's line.
    package mutating func close() { writeRaw("\r\n") }

    // MARK: Bytes as they are

    /// Appends literal text as it is. Inlined, so that short text is stored without a call.
    @inline(__always)
    package mutating func writeRaw(_ text: StaticString) {
        writeRaw(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes as they are; the caller is responsible for line ends in them.
    @inline(__always)
    package mutating func writeRaw(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        memcpy(storage + count, source, bytes.count)
        count += bytes.count
    }

    /// Appends a byte, for which the caller has reserved room.
    private mutating func put(_ byte: UInt8) {
        storage.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    private mutating func reserve(_ additional: Int) {
        if count + additional > capacity { grow(additional) }
    }

    @inline(never)
    private mutating func grow(_ additional: Int) {
        capacity = max(capacity * 2, count + additional)
        let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        memcpy(grown, storage, count)
        storage.deallocate()
        storage = grown
    }
}
