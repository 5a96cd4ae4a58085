// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// RFC 4291 §2.2 text, read as the WHATWG URL standard's "IPv6 parser" does; printed as RFC 5952 §4 says.
/// Zone identifiers are refused: they name an interface of this machine.
struct IPv6Literal: CustomStringConvertible {
    /// Eight pieces of 16 bits.
    private let pieces: [UInt16]

    /// Nil if the text, without brackets, is no IPv6 address.
    init?(_ text: ArraySlice<UInt8>) {
        guard let address = text.withUnsafeBytes({ AddressText.v6($0) }) else { return nil }
        pieces = (0..<8).map { UInt16(truncatingIfNeeded: address >> (112 - 16 * $0)) }
    }

    var description: String {
        let zeros = longestZeros
        let head = pieces[..<zeros.lowerBound].map { String($0, radix: 16) }.joined(separator: ":")
        let tail = pieces[zeros.upperBound...].map { String($0, radix: 16) }.joined(separator: ":")
        return zeros.isEmpty ? tail : "\(head)::\(tail)"
    }

    /// RFC 5952 §4.2: the first of the longest runs of at least two zero pieces; empty at 0 if there is none.
    private var longestZeros: Range<Int> {
        var longest = 0..<0
        var start = 0
        while start < pieces.count {
            let end = pieces[start...].firstIndex { $0 != 0 } ?? pieces.count
            if end - start >= 2, end - start > longest.count { longest = start..<end }
            start = max(end, start + 1)
        }
        return longest
    }
}
