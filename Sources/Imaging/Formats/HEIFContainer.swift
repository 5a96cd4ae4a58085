// SPDX-License-Identifier: Apache-2.0

/// Patches a HEIF file for libheif.
enum HEIFContainer {
    /// Gives item references a type that no program knows, so that libheif ignores them.
    /// - Parameter places: offsets of the references' types, four letters each.
    static func mute(_ places: [Int], in file: UnsafeMutableRawBufferPointer) {
        for place in places where place >= 0 && place <= file.count - 4 {
            UnsafeMutableRawBufferPointer(rebasing: file[place..<place + 4]).copyBytes(from: "juNk".utf8)
        }
    }

    /// Turns crop and rotation properties into rotations by 0, so that libheif neither crops nor turns the
    /// picture.
    /// - Parameter places: offsets of the properties' types, four letters each. The byte behind a type becomes
    ///   the angle.
    static func straighten(_ places: [Int], in file: UnsafeMutableRawBufferPointer) {
        for place in places where place >= 0 && place <= file.count - 5 {
            UnsafeMutableRawBufferPointer(rebasing: file[place..<place + 5]).copyBytes(from: "irot\0".utf8)
        }
    }

    /// Marks samples as full range.
    /// - Parameter places: offsets of the bytes whose highest bit is the full-range flag.
    static func widen(_ places: [Int], in file: UnsafeMutableRawBufferPointer) {
        for place in places where file.indices.contains(place) { file[place] |= 0x80 }
    }

    /// Writes the true size into a box whose size field of 0 means that it reaches to the end of the file.
    /// - Parameter place: the offset of the box.
    static func close(_ place: Int, in file: UnsafeMutableRawBufferPointer) {
        guard place >= 0, place <= file.count - 8, let size = UInt32(exactly: file.count - place) else {
            return
        }
        file.storeBytes(of: size.bigEndian, toByteOffset: place, as: UInt32.self)
    }
}
