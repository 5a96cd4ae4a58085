// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
package import Kernel

/// A body sent as text: a prefix, and then the bytes in base64 (RFC 4648 §4). The text is encoded piece by piece while it is sent, so
/// that a slow reader holds one piece and no copy of the whole.
///
/// **Isolation:** immutable.
package final class Base64Text: Sendable {
    /// Sent first, as it is.
    package let prefix: ImmutableBytes
    /// The body, encoded after the prefix; the last group is padded.
    package let body: Body
    /// Bytes of the whole text.
    package let count: Int

    /// - Parameter body: must be far shorter than the address space.
    package init(prefix: ImmutableBytes, of body: Body) {
        self.prefix = prefix
        self.body = body
        count = prefix.count + (body.length + 2) / 3 * 4
    }

    /// The file that the body is in; nil if the body is in memory.
    var file: OwnedDescriptor? { if case .file(let file, _) = body { file } else { nil } }

    /// The whole text, in memory.
    package func bytes() throws(SystemError) -> ImmutableBytes {
        try ImmutableBytes(count: count) { (storage) throws(SystemError) in
            storage.copyMemory(from: prefix.buffer)
            try encode(
                0..<(body.length + 2) / 3,
                into: UnsafeMutableRawBufferPointer(rebasing: storage[prefix.count...]))
        }
    }

    /// Passes a part of the text to `use`: at least 1 byte, and at most `count`; the text must have `count` bytes from `offset` on.
    func withBytes<Result>(
        from offset: Int, count: Int, _ use: (UnsafeRawBufferPointer) -> Result
    ) throws(SystemError) -> Result {
        if offset < prefix.count {
            let end = min(prefix.count, offset + count)
            return use(UnsafeRawBufferPointer(rebasing: prefix.buffer[offset..<end]))
        }
        let start = offset - prefix.count
        let groups = start / 4..<(start + count + 3) / 4
        let text = UnsafeMutableRawBufferPointer.allocate(byteCount: groups.count * 4, alignment: 8)
        defer { text.deallocate() }
        try encode(groups, into: text)
        let skipped = start % 4
        return use(UnsafeRawBufferPointer(rebasing: text[skipped..<skipped + count]))
    }

    /// Encodes groups, of 3 bytes and 4 letters each.
    private func encode(_ groups: Range<Int>, into text: UnsafeMutableRawBufferPointer) throws(SystemError) {
        let range = groups.lowerBound * 3..<min(groups.upperBound * 3, body.length)
        switch body {
        case .bytes(let bytes):
            Base64.encode(UnsafeRawBufferPointer(rebasing: bytes.buffer[range]), into: text)
        case .file(let file, _):
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 8)
            defer { bytes.deallocate() }
            try read(file, from: range.lowerBound, into: bytes)
            Base64.encode(UnsafeRawBufferPointer(bytes), into: text)
        }
    }

    /// Reads from a file. If the file's disk hangs, only the part in the kernel's page cache is read, because a read of the rest
    /// would not return, and would stop the event loop that sends the text. If that part is too short, an error is thrown that does
    /// not blame the file.
    private func read(
        _ file: OwnedDescriptor, from offset: Int, into bytes: UnsafeMutableRawBufferPointer
    ) throws(SystemError) {
        guard file.isOnHangingDisk else { return try file.read(from: offset, into: bytes) }
        var filled = 0
        while filled < bytes.count, let start = bytes.baseAddress {
            let count = pictor_read_cached(
                file.raw, start + filled, bytes.count - filled, off_t(offset + filled))
            guard count > 0 else { throw SystemError("preadv2: the disk hangs", code: EAGAIN) }
            filled += count
        }
    }
}

/// RFC 4648 §4.
enum Base64 {
    /// The two letters for each value of 12 bits, in their order in memory.
    private static let pairs: [UInt16] = {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        // Cannot trap: letters of ASCII.
        return (0..<4_096).map { UInt16(letters[$0 >> 6]) | UInt16(letters[$0 & 63]) << 8 }
    }()

    /// `text` must have 4 bytes for every 3 bytes or part of 3.
    static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
        // Cannot trap: callers reserve that much. Checked, because writing beyond it would be worse.
        precondition(text.count >= (bytes.count + 2) / 3 * 4, "there is room for the text")
        pairs.withUnsafeBufferPointer { pairs in
            var (from, to) = (0, 0)
            while bytes.count - from >= 3 {
                let (high, low) = halves(bytes[from], bytes[from + 1], bytes[from + 2])
                text.storeBytes(of: pairs[high].littleEndian, toByteOffset: to, as: UInt16.self)
                text.storeBytes(of: pairs[low].littleEndian, toByteOffset: to + 2, as: UInt16.self)
                from += 3
                to += 4
            }
            let rest = bytes.count - from
            guard rest > 0 else { return }
            let (high, low) = halves(bytes[from], rest > 1 ? bytes[from + 1] : 0, 0)
            text.storeBytes(of: pairs[high].littleEndian, toByteOffset: to, as: UInt16.self)
            text[to + 2] = rest > 1 ? UInt8(truncatingIfNeeded: pairs[low]) : UInt8(ascii: "=")
            text[to + 3] = UInt8(ascii: "=")
        }
    }

    /// The 24 bits of three bytes as two halves of 12 bits.
    @inline(__always)
    private static func halves(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> (high: Int, low: Int) {
        (Int(first) << 4 | Int(second) >> 4, Int(second & 15) << 8 | Int(third))
    }
}
