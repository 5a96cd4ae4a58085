// SPDX-License-Identifier: Apache-2.0
//
// ISO 21496-1, annex C, in JPEG's APP2 behind "urn:iso:std:iso:ts:21496:-1" and a zero. All numbers are big-endian:
//
//     2 bytes     the version that a reader must know: 0
//     2           the writer's version
//     1           flags: 80 three channels, 40 in the primaries of the base picture, 8 one denominator for all, 4 the base is
//                 the brighter picture
//     4           with that flag: the denominator; all other numbers are numerators, else a denominator follows each
//     4, 4        headroom of the base picture and of the brighter one
//     per channel least, most, gamma, offset of the base picture, offset of the brighter one, 4 bytes each
//
// The primary picture's segment has the versions alone.

extension GainMapTerms {
    package static let isoName = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)

    /// - Parameter bytes: the segment without its name.
    package init?(iso bytes: ArraySlice<UInt8>) {
        var reader = ISOReader(bytes: bytes)
        guard reader.number(2) == 0, reader.number(2) != nil, let flags = reader.number(1),
            flags & 0x44 == 0x40
        else { return nil }
        if flags & 8 != 0 {
            guard let denominator = reader.number(4) else { return nil }
            reader.denominator = denominator
        }
        guard let least = reader.millionths(), let full = reader.millionths() else { return nil }
        var channels: [Channel] = []
        for _ in 0..<(flags & 0x80 == 0 ? 1 : 3) {
            guard let least = reader.millionths(isSigned: true), let most = reader.millionths(isSigned: true),
                let gamma = reader.millionths(), let base = reader.millionths(isSigned: true),
                let bright = reader.millionths(isSigned: true)
            else { return nil }
            channels.append(
                Channel(least: least, most: most, gamma: gamma, baseOffset: base, brightOffset: bright))
        }
        self.init(channels: channels, leastHeadroom: least, fullHeadroom: full)
    }

    /// The segment with its name.
    package var iso: [UInt8] {
        let numbers =
            [1_000_000, leastHeadroom, fullHeadroom]
            + channels.flatMap {
                [$0.least, $0.most, $0.gamma, $0.baseOffset, $0.brightOffset]
            }
        return Self.isoName + [0, 0, 0, 0, channels.count == 3 ? 0xC8 : 0x48]
            + numbers.flatMap { [UInt8](big: $0, 4) }
    }
}

private struct ISOReader {
    var bytes: ArraySlice<UInt8>
    /// The denominator of all fractions; nil if each has its own.
    var denominator: Int?

    mutating func number(_ size: Int) -> Int? {
        guard bytes.count >= size else { return nil }
        defer { bytes = bytes.dropFirst(size) }
        return bytes.prefix(size).reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func millionths(isSigned: Bool = false) -> Int? {
        guard let read = number(4), let below = denominator ?? number(4), below > 0 else { return nil }
        let above = isSigned ? Int(Int32(truncatingIfNeeded: read)) : read
        return GainMapTerms.millionths(Double(above) / Double(below))
    }
}
