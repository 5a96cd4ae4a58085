// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// Character classes of HTTP's grammar; the class of tokens is `isTokenByte`. Each test runs once per byte, so it is a comparison or
/// a bit of a constant.
package enum ByteClass {
    /// A registered name of RFC 3986 without percent-encodings, that is `unreserved` (§2.3) and `sub-delims`
    /// (§2.2): letters, digits and -._~!$&'()*+,;=
    @inline(__always)
    static func isHost(_ byte: UInt8) -> Bool {
        isSet(0x2BFF_7FD2_0000_0000, 0x47FF_FFFE_87FF_FFFE, byte)
    }

    /// Visible ASCII except "#". RFC 3986 allows fewer bytes in a URI, but clients send the others too, and all parsers agree where
    /// such a target ends. They disagree about "#", which RFC 9112 §3.2 does not allow in a target: some drop what follows, others
    /// keep it.
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool { byte &- 0x21 < 0x5E && byte != UInt8(ascii: "#") }

    /// Field content (RFC 9110 §5.5): visible ASCII, space, HTAB, and bytes from 0x80.
    @inline(__always)
    package static func isText(_ byte: UInt8) -> Bool {
        byte >= Byte.space && byte != Byte.delete || byte == Byte.tab
    }

    /// The index of the first control byte other than HTAB, or the end; checks eight bytes at a time.
    static func endOfText(_ input: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while true {
            while index + 8 <= input.count {
                let word = input.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                // A borrow may mark one byte too many, which the loop below then checks, but never one too few.
                let low = (word &- 0x2020_2020_2020_2020) & ~word
                let flipped = word ^ 0x7F7F_7F7F_7F7F_7F7F
                let deletes = (flipped &- 0x0101_0101_0101_0101) & ~flipped
                guard (low | deletes) & 0x8080_8080_8080_8080 == 0 else { break }
                index += 8
            }
            let stop = min(index + 8, input.count)
            while index < stop {
                let byte = input[index]
                if !isText(byte) { return index }
                index += 1
            }
            if index == input.count { return index }
        }
    }

    /// True for a token (RFC 9110 §5.6.2). Checks eight bytes at a time while they are letters and hyphens, as in most field names;
    /// the last eight bytes may overlap with those before.
    static func isToken(_ input: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while input.count >= 8, index < input.count {
            let place = min(index, input.count - 8)
            guard isOfLettersAndHyphens(input.loadUnaligned(fromByteOffset: place, as: UInt64.self)) else {
                break
            }
            index = place + 8
        }
        while index < input.count, input[index].isTokenByte { index += 1 }
        return index == input.count && index > 0
    }

    @inline(__always)
    private static func isOfLettersAndHyphens(_ word: UInt64) -> Bool {
        let tops: UInt64 = 0x8080_8080_8080_8080
        let lower = word | 0x2020_2020_2020_2020
        // In each byte's sum the top bit is set: in `fromA` from "a" on, in `behindZ` from the byte after "z" on, in `others` for
        // everything except a hyphen. No sum of ASCII carries into the next byte.
        let fromA = lower &+ 0x1F1F_1F1F_1F1F_1F1F
        let behindZ = lower &+ 0x0505_0505_0505_0505
        let others = (word ^ 0x2D2D_2D2D_2D2D_2D2D) &+ 0x7F7F_7F7F_7F7F_7F7F
        return word & tops == 0 && (fromA & ~behindZ | ~others) & tops == tops
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inline(__always)
    static func isHexadecimal(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 6 }

    /// Optional white space (RFC 9110 §5.6.3).
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte == Byte.space || byte == Byte.tab }

    /// `low` has a bit for each byte below 64, `high` for each byte from 64 to 127.
    @inline(__always)
    private static func isSet(_ low: UInt64, _ high: UInt64, _ byte: UInt8) -> Bool {
        byte < 0x80 && (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 != 0
    }
}

/// Bytes with names, for the rules that mention them.
enum Byte {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let delete: UInt8 = 0x7F
}
