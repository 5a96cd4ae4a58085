// SPDX-License-Identifier: Apache-2.0
//
// Some cameras and programs leave out the last marker of a JPEG, EOI (ITU-T T.81 §B.2.1). Browsers show such files. libvips cannot
// tell them from files whose last pixels are missing.

internal import Glibc
internal import Planar

extension JPEGContainer {
    private static let end: [UInt8] = [0xFF, 0xD9]
    private static let nearEnd = 4_096

    /// A new mapping of the file with the missing marker appended, if the marker may be all that is missing; nil otherwise. Only
    /// for kinds of JPEG that `Planar` reads, because `Planar` can tell whether the data are whole. A file of a single scan is
    /// checked while it is decoded, so that its data are read once; a file of several scans is checked before, because decoding
    /// skips scans that a small size does not need.
    static func mended(
        _ file: UnsafeRawBufferPointer, _ descriptor: Int32
    ) -> (file: UnsafeMutableRawBufferPointer, isKnownWhole: Bool)? {
        guard lacksEnd(file), let longer = mapped(descriptor, file.count) else { return nil }
        guard let jpeg = try? PlanarJPEG(UnsafeRawBufferPointer(longer)), !jpeg.isProgressive || jpeg.isWhole
        else {
            munmap(longer.baseAddress, longer.count)
            return nil
        }
        return (longer, jpeg.isProgressive)
    }

    /// True if the data of a scan go on to the end of the file.
    static func lacksEnd(_ file: UnsafeRawBufferPointer) -> Bool {
        guard file.count > 4, !file.suffix(end.count).elementsEqual(end) else { return false }
        // Most files have the marker near the end, perhaps before a few bytes of something else. Looking there first saves
        // reading the megabytes before it.
        if let marker = endOfScan(file, from: max(0, file.count - nearEnd)), file[marker + 1] == end[1] {
            return false
        }
        var offset = 2
        while offset + 4 <= file.count, file[offset] == 0xFF {
            let marker = file[offset + 1]
            if marker == 0xD9 { return false }
            offset += 2 + (Int(file[offset + 2]) << 8 | Int(file[offset + 3]))
            guard marker == 0xDA, offset <= file.count else { continue }
            guard let next = endOfScan(file, from: offset) else { return true }
            offset = next
        }
        return false
    }

    /// A mapping of the file with the marker behind its last byte: in the rest of its last page, or in a page of its
    /// own.
    private static func mapped(_ descriptor: Int32, _ length: Int) -> UnsafeMutableRawBufferPointer? {
        let (all, writable) = (length + end.count, PROT_READ | PROT_WRITE)
        guard let start = mmap(nil, all, writable, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), start != MAP_FAILED
        else { return nil }
        // Only the last bytes are written to, so the other pages stay shared with the daemon.
        guard mmap(start, length, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor, 0) == start,
            mprotect(start, all, writable) == 0
        else {
            munmap(start, all)
            return nil
        }
        let bytes = UnsafeMutableRawBufferPointer(start: start, count: all)
        UnsafeMutableRawBufferPointer(rebasing: bytes[length...]).copyBytes(from: end)
        return bytes
    }
}
