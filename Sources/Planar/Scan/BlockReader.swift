// SPDX-License-Identifier: Apache-2.0

/// How the blocks of one component are read: the offsets of its tables in the scan's row of tables.
struct BlockReader {
    let component: Int
    let dc: Int
    let ac: Int
    /// The offset of the table for several AC coefficients, which is followed by the table for the first coefficient and
    /// others: `pairs` and `firstPairs` of HuffmanTable, or `passes` if only means are wanted.
    let several: Int
    /// The offset of 64 factors of coefficients in zigzag order, of which the first is 1, and of 64 places in a block, row by
    /// row.
    let factors: Int
    /// The quantisation step of the first coefficient.
    let firstStep: Int32

    var first: Int {
        @inline(__always) get { several &+ 1 << HuffmanTable.lookUpBits }
    }

    /// The largest DC value of 8-bit samples before quantisation (T.81 §F.1.2.1.1).
    static let mostDC = 2048

    /// Adds the next difference to the component's DC value; false if there is no such code.
    /// - Parameter dc: the offset of the table.
    @inline(__always)
    static func readDC(
        _ reader: inout BitReader, from file: RawSpan, by tables: Span<UInt32>, at dc: Int,
        _ value: inout Int32
    ) -> Bool {
        reader.fill(from: file)
        let entry = tables[dc &+ Int(truncatingIfNeeded: reader.bits &>> 53)]
        if entry & 32 != 0 {
            reader.take(Int(truncatingIfNeeded: entry & 31))
            value &+= Int32(bitPattern: entry) &>> 16
        } else {
            guard let (run, size) = symbol(&reader, entry, by: tables, at: dc), run == 0 else {
                return false
            }
            if size > 0 {
                let number = HuffmanTable.number(reader.bits &>> UInt64(64 &- size), bits: size)
                reader.take(size)
                value &+= Int32(truncatingIfNeeded: number)
            }
        }
        return true
    }

    /// Takes a code whose number did not fit into the look-up. Nil if there is no such code.
    @inline(__always)
    static func symbol(
        _ reader: inout BitReader, _ entry: UInt32, by tables: Span<UInt32>, at base: Int
    ) -> (run: Int, size: Int)? {
        if entry & 31 != 0 {
            reader.take(Int(truncatingIfNeeded: entry & 31))
            return (Int(truncatingIfNeeded: entry &>> 8 & 15), Int(truncatingIfNeeded: entry &>> 12 & 15))
        }
        guard let (length, symbol) = HuffmanTable.longCode(reader.bits, in: tables, at: base) else {
            return nil
        }
        reader.take(length)
        return (symbol >> 4, symbol & 15)
    }
}
