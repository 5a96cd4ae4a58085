// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// RFC 4291 §2.2 text, read as the WHATWG URL standard's "IPv6 parser" does; printed as RFC 5952 §4 says.
/// Zone identifiers are refused: they name an interface of this machine.
struct IPv6Literal: CustomStringConvertible {
    /// Eight pieces of 16 bits.
    private let pieces: [UInt16]

    /// Nil if the text, without brackets, is no IPv6 address.
    init?(_ text: ArraySlice<UInt8>) {
        // The longest text: six pieces, and the last two as a dotted quad.
        guard text.count <= 45 else { return nil }
        let string = String(decoding: text, as: UTF8.self)
        let halves = Self.split(string)
        guard let first = halves.first, let head = Self.pieces(of: first, mayEndInIPv4: halves.count == 1)
        else {
            return nil
        }
        if halves.count == 1 {
            guard head.count == 8 else { return nil }
            pieces = head
        } else {
            // "::" stands for at least one piece of zeros.
            guard halves.count == 2, let tail = Self.pieces(of: halves[1], mayEndInIPv4: true),
                head.count + tail.count <= 7
            else { return nil }
            pieces = head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
        }
    }

    /// The text before and after each "::".
    private static func split(_ text: String) -> [Substring] {
        var halves: [Substring] = []
        var rest = text[...]
        while let colon = rest.indices.first(where: { rest[$0...].hasPrefix("::") }) {
            halves.append(rest[..<colon])
            rest = rest[colon...].dropFirst(2)
        }
        return halves + [rest]
    }

    private static func pieces(of text: Substring, mayEndInIPv4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        var pieces: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, part.contains(".") {
                guard let quad = quad(part) else { return nil }
                pieces += quad
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0.hexDigitValue != nil }),
                    let piece = UInt16(part, radix: 16)
                else { return nil }
                pieces.append(piece)
            }
        }
        return pieces
    }

    /// The embedded IPv4 address: exactly four decimal numbers without leading zeros.
    private static func quad(_ text: Substring) -> [UInt16]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part -> UInt16? in
            guard part.utf8.allSatisfy(\.isASCIIDigit), part == "0" || !part.hasPrefix("0") else {
                return nil
            }
            return UInt8(part).map(UInt16.init)
        }
        guard parts.count == 4, bytes.count == 4 else { return nil }
        return [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
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
