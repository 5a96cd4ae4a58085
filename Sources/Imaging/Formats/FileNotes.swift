// SPDX-License-Identifier: Apache-2.0

internal import CEncoders
internal import ImageHeaders

/// The profile, the metadata and the gain map of a file. Encoders write none of them, but for a profile of the original's
/// own and EXIF in AVIF; they are put into the file that an encoder has made.
struct FileNotes {
    /// The colour space of the pixels' numbers.
    enum Profile {
        case displayP3
        /// The original's.
        case own([UInt8])
    }

    /// Nil = nothing is said: sRGB.
    var profile: Profile?
    /// A TIFF stream; empty = there is none.
    var exif: [UInt8] = []
    /// The gain map of a JPEG.
    var gainMap: GainMap?

    /// Bytes of an original's profile that a result carries at most. Those of cameras and displays have a few thousand, and
    /// profiles with tables some hundred thousand.
    static let longestProfile = 512 << 10

    var isEmpty: Bool { profile == nil && exif.isEmpty && gainMap == nil }

    /// Calls `work` with the notes that an encoder of AVIF has to write itself: the original's own profile, and EXIF.
    func withEncoderNotes<Value>(_ work: (cencoders_notes) -> Value) -> Value {
        let profile: [UInt8] = if case .own(let bytes) = profile { bytes } else { [] }
        return profile.withUnsafeBufferPointer { profile in
            exif.withUnsafeBufferPointer { exif in
                work(
                    cencoders_notes(
                        profile: profile.isEmpty ? nil : profile.baseAddress, profile_length: profile.count,
                        exif: exif.isEmpty ? nil : exif.baseAddress, exif_length: exif.count))
            }
        }
    }

    /// Writes the file that an encoder has made, with the notes in it.
    func write(
        _ file: UnsafeRawBufferPointer, _ format: ImageFormat, _ size: PixelSize, hasAlpha: Bool,
        to sink: Sink
    ) -> Bool {
        guard let start = beginning(of: file, format, size, hasAlpha: hasAlpha) else { return false }
        return sink.write(start.bytes)
            && sink.write(UnsafeRawBufferPointer(rebasing: file[start.length...])) && sink.write(end(format))
    }

    /// The original's own bytes with the notes in them; nil where an encoder would have had to write them.
    func added(
        to file: [UInt8], _ format: ImageFormat, _ size: PixelSize, hasAlpha: Bool
    ) -> [UInt8]? {
        guard format != .avif else { return nil }
        return file.withUnsafeBytes { bytes in
            beginning(of: bytes, format, size, hasAlpha: hasAlpha).map { start in
                let rest = end(format)
                var whole = start.bytes
                // A sum of arrays would be a copy for each.
                whole.reserveCapacity(start.bytes.count + bytes.count - start.length + rest.count)
                whole += bytes[start.length...]
                whole += rest
                return whole
            }
        }
    }
}
