// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// Turns what a decoder writes to its standard error into log lines, few and short: a hostile picture can make a
/// loader warn about every block of it.
///
/// **Isolation:** confined to the supervisor's thread.
struct ProcessWords: ~Copyable {
    /// Lines between two calls of `renew`.
    static let lineLimit = 8
    /// Bytes of a line; a longer line is cut.
    static let lengthLimit = 512

    let descriptor: OwnedDescriptor
    private var line: [UInt8] = []
    private var budget = ProcessWords.lineLimit

    /// - Parameter descriptor: the reading end of a pipe, non-blocking.
    init(_ descriptor: OwnedDescriptor) { self.descriptor = descriptor }

    /// A new job has a new allowance of lines.
    mutating func renew() { budget = Self.lineLimit }

    /// Reads what is there and gives whole lines to `say`. Returns false if the other end is closed.
    mutating func drain(_ say: (String) -> Void) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        // A bound on the rounds, because a decoder can write as fast as we read.
        for _ in 0..<16 {
            let count = read(descriptor.raw, &buffer, buffer.count)
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            if count == 0 {
                end(say)
                return false
            }
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
