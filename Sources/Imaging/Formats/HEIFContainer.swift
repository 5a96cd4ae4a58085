// SPDX-License-Identifier: Apache-2.0

/// A HEIF file: patches it for libheif.
enum HEIFContainer {
    /// Gives references a type that no program knows, so that libheif passes over them.
    /// - Parameter places: where the four letters of their types are.
    static func mute(_ places: [Int], in file: UnsafeMutableRawBufferPointer) {
        for place in places where place >= 0 && place <= file.count - 4 {
            UnsafeMutableRawBufferPointer(rebasing: file[place..<place + 4]).copyBytes(from: "juNk".utf8)
        }
    }

    /// Makes properties crop nothing off a picture, and turn it by nothing.
    /// - Parameter places: where the four letters of their types are. Behind them is a byte that says how far.
    static func straighten(_ places: [Int], in file: UnsafeMutableRawBufferPointer) {
        for place in places where place >= 0 && place <= file.count - 5 {
            UnsafeMutableRawBufferPointer(rebasing: file[place..<place + 5]).copyBytes(from: "irot\0".utf8)
        }
    }

    /// Says that numbers have their full range.
    /// - Parameter places: where the bytes are whose highest bit says so.
    static func widen(_ places: [Int], in file: UnsafeMutableRawBufferPointer) {
        for place in places where file.indices.contains(place) { file[place] |= 0x80 }
    }

    /// Gives a box its size that has none and so reaches to the end of the file.
    /// - Parameter place: where the box begins.
    static func close(_ place: Int, in file: UnsafeMutableRawBufferPointer) {
        guard place >= 0, place <= file.count - 8, let size = UInt32(exactly: file.count - place) else {
            return
        }
        file.storeBytes(of: size.bigEndian, toByteOffset: place, as: UInt32.self)
    }
}
