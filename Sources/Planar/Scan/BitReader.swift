// SPDX-License-Identifier: Apache-2.0
// Reads the bits of a scan's coded data, most significant first. FF is a data byte only if 00 follows (T.81
// §F.1.2.3); otherwise it begins a marker, at which the data end. Behind the end come zeros, so that callers need not
// check every bit; `isPastEnd` tells afterwards.

struct BitReader {
    /// The next bits, in the highest places.
    private(set) var bits: UInt64 = 0
    /// The number of valid bits, including zeros behind the end.
    private(set) var count = 0
    /// The offset of the next byte to load.
    private(set) var offset: Int
    /// The number of zeros that were added behind the end.
    private var padding = 0

    init(at offset: Int) { self.offset = offset }

    /// True if a bit was taken that is not in the file.
    var isPastEnd: Bool { count < padding }

    /// The number of loaded bits before the end that are not yet taken.
    var remaining: Int { count - padding }

    /// Loads bits until at least 32 can be taken.
    @inline(__always)
    mutating func fill(from file: RawSpan) {
        if count < 32 { fillUp(from: file) }
    }

    /// Loads bits until at least 56 can be taken.
    @inline(__always)
    mutating func fillUp(from file: RawSpan) {
        if offset &+ 8 <= file.byteCount {
            let word = UInt64(bigEndian: file.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
            // True if no byte is FF, that is, if no byte of the complement is zero.
            if (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 == 0 {
                bits |= word &>> UInt64(truncatingIfNeeded: count)
                let taken = (63 &- count) &>> 3
                offset &+= taken
                count &+= taken &* 8
                return
            }
        }
        self = filledByByte(from: file)
    }

    /// Returns a new value, so that a reader in use can stay in registers.
    @inline(never)
    private func filledByByte(from file: RawSpan) -> BitReader {
        var reader = self
        reader.fillByByte(from: file)
        return reader
    }

    private mutating func fillByByte(from file: RawSpan) {
        while count < 56 {
            if let byte = nextByte(of: file) {
                bits |= UInt64(byte) << UInt64(56 - count)
            } else {
                padding += 8
            }
            count += 8
        }
    }

    /// Nil at a marker and at the end of the file.
    private mutating func nextByte(of file: RawSpan) -> UInt8? {
        guard offset < file.byteCount else { return nil }
        let byte = file.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        guard byte == 0xFF else {
            offset += 1
            return byte
        }
        guard offset + 1 < file.byteCount, file.unsafeLoad(fromByteOffset: offset + 1, as: UInt8.self) == 0
        else { return nil }
        offset += 2
        return byte
    }

    @inline(__always)
    mutating func take(_ number: Int) {
        bits &<<= UInt64(truncatingIfNeeded: number)
        count &-= number
    }

    /// The marker that ends the data, if it follows the last byte of which bits were taken, and a reader for what
    /// follows it.
    @inline(never)
    func marker(in file: RawSpan) -> (marker: UInt8, next: BitReader)? {
        if padding == 0 {
            let filled = filledByByte(from: file)
            return filled.padding > 0 ? filled.marker(in: file) : nil
        }
        guard !isPastEnd, remaining < 8, offset < file.byteCount else { return nil }
        var place = offset + 1
        // T.81 §B.1.1.2 allows any number of fill bytes.
        while place < file.byteCount, file.unsafeLoad(fromByteOffset: place, as: UInt8.self) == 0xFF {
            place += 1
        }
        guard place < file.byteCount else { return nil }
        let marker = file.unsafeLoad(fromByteOffset: place, as: UInt8.self)
        return marker == 0 ? nil : (marker, BitReader(at: place + 1))
    }
}
