// SPDX-License-Identifier: Apache-2.0

/// TIFF: size, orientation and alpha are those of the first directory. Each directory of the chain is a page with its own
/// size.
enum TIFFHeader {
    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        let stream = try TIFFStream(&reader, start: 0)
        let first = try stream.directory(&reader, at: stream.firstDirectory)
        guard let width = first.width, let height = first.height else { throw .damaged }
        var header = ImageHeader(
            format: .tiff, width: width, height: height, orientation: first.orientation ?? 1,
            hasAlpha: try stream.hasAlpha(&reader), isDecodable: try stream.hasUsualSamples(&reader),
            isDeep: try stream.isDeep(&reader, height: height))
        let unpacked = try stream.unpacked(&reader, of: first)
        countPages(&reader, stream, after: first, unpacked: unpacked, into: &header)
        return header
    }

    /// Counts the directories up to the first one that is unreadable or was seen before. Also finds the most pixels of a page, the
    /// most pixels that are unpacked for one, and whether a page is deep.
    private static func countPages(
        _ reader: inout HeaderReader, _ stream: TIFFStream, after first: TIFFStream.Directory,
        unpacked: Int, into header: inout ImageHeader
    ) {
        var seen: Set<Int> = [stream.firstDirectory]
        // The first page may be rendered from a later one that is a smaller level of it.
        var most = unpacked
        // A deep page costs 23 bytes a pixel, and the first one 4 if it is not deep. A tile holds much of a pyramid's smallest
        // levels, which therefore count as deep, yet cost less than the first page. Cannot trap: the divisor is 6.
        let cheap = header.stored.area / 6
        var next = first.next
        while next != 0, seen.insert(next).inserted {
            guard let directory = try? stream.directory(&reader, at: next) else {
                seen.remove(next)
                break
            }
            let pixels = Int(saturatingProduct: directory.width ?? 0, directory.height ?? 0)
            var unpacked = 0
            if let height = directory.height {
                let page = stream.beginning(at: next)
                unpacked = (try? page.unpacked(&reader, of: directory)) ?? 0
                if !header.isDeep, max(pixels, unpacked) > cheap {
                    header.isDeep = (try? page.isDeep(&reader, height: height)) ?? false
                }
            }
            most = max(most, unpacked)
            header.hasPage(pixels: pixels, unpacked: unpacked)
            next = directory.next
        }
        header.pages = seen.count
        header.needs(pixels: most)
    }
}
