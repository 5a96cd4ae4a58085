// SPDX-License-Identifier: Apache-2.0

/// TIFF: size, orientation and alpha of the first directory; each directory of the chain is a page.
enum TIFFHeader {
    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        let stream = try TIFFStream(&reader, start: 0)
        let first = try stream.directory(&reader, at: stream.firstDirectory)
        guard let width = first.width, let height = first.height else { throw .damaged }
        return ImageHeader(
            format: .tiff, width: width, height: height, pages: pages(&reader, stream, after: first),
            orientation: first.orientation ?? 1, hasAlpha: first.hasExtraSamples)
    }

    /// The number of directories, up to the first one that is unreadable or was seen before.
    private static func pages(
        _ reader: inout HeaderReader, _ stream: TIFFStream, after first: TIFFStream.Directory
    ) -> Int {
        var seen: Set<Int> = [stream.firstDirectory]
        var next = first.next
        while next != 0, seen.insert(next).inserted {
            guard let directory = try? stream.directory(&reader, at: next) else {
                seen.remove(next)
                break
            }
            next = directory.next
        }
        return seen.count
    }
}
