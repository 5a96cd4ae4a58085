// SPDX-License-Identifier: Apache-2.0
//
// ICO: reserved (2), type 1 (2), number of pictures (2), then 16 bytes for each: width and height (0 is 256), colours,
// reserved, planes (2), bits (2), length (4), offset (4). A picture is a PNG or a bitmap with a mask, and has the size that
// its entry tells.

internal import CVips
internal import ImageHeaders

extension Source {
    /// A picture of an icon: the one of this number; −1 is the largest, −2 the smallest.
    func loadIcon(page: Int) throws(ImagingFailure) -> Picture {
        let count = try file.little(at: 4, 2)
        var chosen = max(0, page)
        if page < 0 {
            var best = try iconSize(0).area
            for index in 0..<count {
                let area = try iconSize(index).area
                if page == -1 ? area > best : area < best { (chosen, best) = (index, area) }
            }
        }
        guard chosen < count else { throw .bitmap("page") }
        let size = try iconSize(chosen)
        let picture = try loadIcon(entry: try iconEntry(chosen), size)
        guard picture.size == size else { throw .bitmap("size") }
        return picture
    }

    private func iconSize(_ index: Int) throws(ImagingFailure) -> PixelSize {
        let (width, height) = (try file.little(at: 6 + index * 16, 1), try file.little(at: 7 + index * 16, 1))
        return PixelSize(width: width == 0 ? 256 : width, height: height == 0 ? 256 : height)
    }

    private func iconEntry(_ index: Int) throws(ImagingFailure) -> UnsafeRawBufferPointer {
        let length = try file.little(at: 14 + index * 16, 4)
        let offset = try file.little(at: 18 + index * 16, 4)
        guard length > 0, offset <= file.count, length <= file.count - offset else { throw .bitmap("entry") }
        return UnsafeRawBufferPointer(rebasing: file[offset..<offset + length])
    }

    private func loadIcon(
        entry: UnsafeRawBufferPointer, _ size: PixelSize
    ) throws(ImagingFailure) -> Picture {
        if entry.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return try loadPNG(entry, size) }
        let bitmap = try DeviceBitmap(entry, isIcon: true)
        guard bitmap.size == size else { throw .bitmap("size") }
        return try Picture(samples: bitmap.rgba(), size: size, bands: 4)
    }

    /// Decoded at once, so that the copy may go.
    private func loadPNG(
        _ entry: UnsafeRawBufferPointer, _ size: PixelSize
    ) throws(ImagingFailure) -> Picture {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: entry.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyMemory(from: entry)
        PNGContainer.muteMetadata(copy)
        guard let source = cvips_source_memory(copy.baseAddress, copy.count) else {
            throw .unavailable(Picture.error())
        }
        defer { cvips_source_release(source) }
        var options = cvips_load_options()
        options.loader = CVIPS_PNG
        let picture = try Picture(cvips_load(source, &options))
        guard picture.size == size else { throw .bitmap("size") }
        return try picture.inMemory()
    }
}
