// SPDX-License-Identifier: Apache-2.0

/// The tags of an ICC profile (ICC.1:2022 §7.3) and the numbers in them. Offsets count from the profile's start;
/// an offset outside the profile gives nil.
struct TagTable {
    let bytes: [UInt8]

    /// The offset of the tag's data.
    func tag(_ name: String) -> Int? { tags(name).first }

    /// The offsets of the data of all tags of this name. Only one is allowed, but lcms passes over those outside the profile.
    func tags(_ name: String) -> [Int] {
        guard let count = uint32(128), count <= 200 else { return [] }
        return (0..<Int(count)).compactMap { index in
            let entry = 132 + 12 * index
            return letters(entry) == name ? uint32(entry + 4).map(Int.init) : nil
        }
    }

    func letters(_ offset: Int) -> String? {
        guard offset >= 0, offset + 4 <= bytes.count else { return nil }
        return String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    }

    func uint16(_ offset: Int) -> UInt16? {
        guard offset >= 0, offset + 2 <= bytes.count else { return nil }
        return UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
    }

    func uint32(_ offset: Int) -> UInt32? {
        guard let high = uint16(offset), let low = uint16(offset + 2) else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    /// A number of type s15Fixed16Number.
    func fixed(_ offset: Int) -> Double? {
        uint32(offset).map { Double(Int32(bitPattern: $0)) / 65536 }
    }

    /// An XYZType that holds one triple.
    func xyz(_ offset: Int) -> [Double]? {
        guard letters(offset) == "XYZ ", let x = fixed(offset + 8), let y = fixed(offset + 12),
            let z = fixed(offset + 16)
        else { return nil }
        return [x, y, z]
    }
}
