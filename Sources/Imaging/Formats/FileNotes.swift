// SPDX-License-Identifier: Apache-2.0

internal import CEncoders
internal import ImageHeaders

/// The profile, the metadata and the gain map of a file. Encoders write only an original's own profile and EXIF in AVIF;
/// everything else is inserted into the encoder's file.
struct FileNotes {
    /// The colour space of the samples.
    enum Profile {
        case displayP3
        /// The original's own profile.
        case own([UInt8])
    }

    /// Nil if the file names no colour space, which means sRGB.
    var profile: Profile?
    /// EXIF as a TIFF stream; empty if there is none.
    var exif: [UInt8] = []
    /// The gain map of a JPEG.
    var gainMap: GainMap?

    /// The longest profile of an original that a result carries, in bytes. Profiles of cameras and displays have a few
    /// thousand bytes, and profiles with tables some hundred thousand.
    static let longestProfile = 512 << 10

    var isEmpty: Bool { profile == nil && exif.isEmpty && gainMap == nil }

    /// Calls `work` with the notes that an AVIF encoder has to write itself: the original's own profile, and EXIF.
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

    /// Writes an encoder's file with the notes inserted. False if the format has no place for them, or the
    /// sink failed.
    func write(
        _ file: UnsafeRawBufferPointer, _ format: ImageFormat, _ size: PixelSize, hasAlpha: Bool,
        to sink: Sink
    ) -> Bool {
        guard let start = beginning(of: file, format, size, hasAlpha: hasAlpha) else { return false }
        return sink.write(start.bytes)
            && sink.write(UnsafeRawBufferPointer(rebasing: file[start.length...])) && sink.write(end(format))
    }

    /// A file that was not encoded anew, with the notes inserted; nil if only an encoder could write them.
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
