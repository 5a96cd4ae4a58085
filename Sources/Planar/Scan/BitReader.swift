// SPDX-License-Identifier: Apache-2.0
//
// The bits of a scan's coded data, most significant first. FF is a byte of data only with 00 behind it (T.81
// §F.1.2.3); with anything else it begins a marker, at which the data end. Behind the end come zeros, so that whoever
// reads need not look at each bit whether there is one; `isPastEnd` tells afterwards.

struct BitReader {
    /// The next bits, at the top.
    private(set) var bits: UInt64 = 0
    /// How many of them may be taken, zeros behind the end among them.
    private(set) var count = 0
    /// The offset of the next byte to take in.
    private(set) var offset: Int
    /// Bits that were added behind the end.
    private var padding = 0

    init(at offset: Int) { self.offset = offset }

    /// Some bit that was taken was none of the file's.
    var isPastEnd: Bool { count < padding }

    /// Bits that are left before the end, of those that were taken in.
    var remaining: Int { count - padding }

    /// Makes sure that 32 bits may be taken.
    @inline(__always)
    mutating func fill(from file: RawSpan) {
        if count < 32 { fillUp(from: file) }
    }

    /// Makes sure that 56 bits may be taken.
    @inline(__always)
    mutating func fillUp(from file: RawSpan) {
        if offset &+ 8 <= file.byteCount {
            let word = UInt64(bigEndian: file.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
            // No byte is FF: none of the complement is zero.
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

    /// By value, so that a reader in use can stay in registers.
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

    /// The marker at which the data end, where it stands right behind the last byte whose bits were taken, and a reader
    /// of what is behind it.
    @inline(never)
    func marker(in file: RawSpan) -> (marker: UInt8, next: BitReader)? {
        if padding == 0 {
            let filled = filledByByte(from: file)
            return filled.padding > 0 ? filled.marker(in: file) : nil
        }
        guard !isPastEnd, remaining < 8, offset < file.byteCount else { return nil }
        var place = offset + 1
        // T.81 §B.1.1.2: any number of fill bytes.
        while place < file.byteCount, file.unsafeLoad(fromByteOffset: place, as: UInt8.self) == 0xFF {
            place += 1
        }
        guard place < file.byteCount else { return nil }
        let marker = file.unsafeLoad(fromByteOffset: place, as: UInt8.self)
        return marker == 0 ? nil : (marker, BitReader(at: place + 1))
    }
}
