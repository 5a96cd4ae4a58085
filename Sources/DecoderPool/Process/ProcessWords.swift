// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// Turns a decoder's standard error into a limited number of short log lines, because a hostile picture can make a loader warn
/// about every block. Further text stays in the pipe, which fills up. Otherwise a decoder under an attacker's control could
/// write without end, and keep the daemon busy with reading.
///
/// **Isolation:** confined to the supervisor's thread.
struct ProcessWords: ~Copyable {
    /// The most lines between two calls of `renew`.
    static let lineLimit = 8
    /// The most bytes of a line; a longer line is cut.
    static let lengthLimit = 512
    /// The number of bytes that are read between two calls of `renew`, or slightly more.
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

    /// Gives a new job a new allowance. Remaining text of the previous job is dropped.
    mutating func renew() {
        if !areWanted {
            // Cannot trap: the count is a constant.
            var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
            var left = Self.byteLimit
            while left > 0, case let count = read(descriptor.raw, &buffer, buffer.count), count > 0 {
                left -= count
            }
            line.removeAll(keepingCapacity: true)
        }
        (budget, bytesLeft) = (Self.lineLimit, Self.byteLimit)
    }

    /// Reads the available text within the allowance, and passes whole lines to `say`. Returns false if the other end is
    /// closed.
    mutating func drain(_ say: (String) -> Void) -> Bool {
        // Cannot trap: the count is a constant.
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
                // Control characters must not reach a log.
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
