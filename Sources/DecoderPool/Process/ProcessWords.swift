// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// Turns what a decoder writes to its standard error into log lines, few and short: a hostile picture can make a
/// loader warn about every block of it. Further words stay in the pipe, which fills up: a decoder that was taken over could else
/// write as fast as they are read, and keep the daemon busy with it.
///
/// **Isolation:** confined to the supervisor's thread.
struct ProcessWords: ~Copyable {
    /// Lines between two calls of `renew`.
    static let lineLimit = 8
    /// Bytes of a line; a longer line is cut.
    static let lengthLimit = 512
    /// Bytes that are read between two calls of `renew`, or a few more.
    static let byteLimit = 64 << 10
    private static let pieceSize = 4_096

    let descriptor: OwnedDescriptor
    private var line: [UInt8] = []
    private var budget = ProcessWords.lineLimit
    private var bytesLeft = ProcessWords.byteLimit

    /// - Parameter descriptor: the reading end of a pipe, non-blocking.
    init(_ descriptor: OwnedDescriptor) { self.descriptor = descriptor }

    /// False once the allowance is spent.
    var areWanted: Bool { budget > 0 && bytesLeft > 0 }

    /// A new job has a new allowance. Words that are left of the one before are dropped.
    mutating func renew() {
        if !areWanted {
            // Cannot trap: a constant.
            var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
            var left = Self.byteLimit
            while left > 0, case let count = read(descriptor.raw, &buffer, buffer.count), count > 0 {
                left -= count
            }
            line.removeAll(keepingCapacity: true)
        }
        (budget, bytesLeft) = (Self.lineLimit, Self.byteLimit)
    }

    /// Reads what is there, as long as it is wanted, and gives whole lines to `say`. Returns false if the other end is closed.
    mutating func drain(_ say: (String) -> Void) -> Bool {
        // Cannot trap: a constant.
        var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
        while areWanted {
            let count = read(descriptor.raw, &buffer, buffer.count)
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            if count == 0 {
                end(say)
                return false
            }
            bytesLeft -= count
            take(buffer.prefix(count), say)
        }
        return true
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, _ say: (String) -> Void) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                end(say)
            } else if line.count < Self.lengthLimit {
                // No control character reaches a log.
                line.append(byte < 0x20 || byte == 0x7F ? UInt8(ascii: " ") : byte)
            }
        }
    }

    private mutating func end(_ say: (String) -> Void) {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty, budget > 0 else { return }
        budget -= 1
        say(String(decoding: line, as: UTF8.self))
    }
}
