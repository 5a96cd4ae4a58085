// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
package import Kernel

/// A body as text: a prefix, and then its bytes as RFC 4648 §4 spells them. It is made piece by piece while
/// it is sent, so that a reader costs a piece and not a copy, however slow it is.
///
/// **Isolation:** immutable.
package final class Base64Text: Sendable {
    /// Sent first, as it is.
    package let prefix: ImmutableBytes
    /// Encoded behind the prefix; the last group is padded.
    package let body: Body
    /// Bytes of the whole text.
    package let count: Int

    /// - Parameter body: far from as long as an address space.
    package init(prefix: ImmutableBytes, of body: Body) {
        self.prefix = prefix
        self.body = body
        count = prefix.count + (body.length + 2) / 3 * 4
    }

    /// The file that it reads, where it does.
    var file: OwnedDescriptor? { if case .file(let file, _) = body { file } else { nil } }

    /// The text whole, in memory.
    package func bytes() throws(SystemError) -> ImmutableBytes {
        try ImmutableBytes(count: count) { (storage) throws(SystemError) in
            storage.copyMemory(from: prefix.buffer)
            try encode(
                0..<(body.length + 2) / 3,
                into: UnsafeMutableRawBufferPointer(rebasing: storage[prefix.count...]))
        }
    }

    /// Shows a part of the text: at least 1 byte, and at most `count`, of which there are as many behind `offset`.
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

    /// Groups of 3 bytes and 4 letters.
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

    /// Of a file whose disk hangs, what the kernel has in memory: a read of the rest would not return, nor would the event loop
    /// that sends the text. Where it has not all of it, the file is not to blame.
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
    /// Two letters for each 12 bits, as they lie in memory.
    private static let pairs: [UInt16] = {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        // Cannot trap: letters of ASCII.
        return (0..<4_096).map { UInt16(letters[$0 >> 6]) | UInt16(letters[$0 & 63]) << 8 }
    }()

    /// `text` has 4 bytes for every 3 that are begun.
    static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
        // Cannot trap: callers reserve that much; to write beyond it would be worse.
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

    /// Twice 12 bits.
    @inline(__always)
    private static func halves(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> (high: Int, low: Int) {
        (Int(first) << 4 | Int(second) >> 4, Int(second & 15) << 8 | Int(third))
    }
}
