// SPDX-License-Identifier: Apache-2.0

/// Facts about a TIFF's pages. `ImageHeader.isDecodable` covers only the first page.
package enum TIFFPages {
    /// False for a page whose samples are not supported, and for a page that does not exist.
    package static func isDecodable(_ page: Int, of source: some HeaderSource) -> Bool {
        source.reading { reader in try stream(of: page, &reader).hasUsualSamples(&reader) } ?? false
    }

    /// True for a page whose colours are multiplied by its alpha: ExtraSamples (338) contains a 1.
    package static func isMultiplied(_ page: Int, of source: some HeaderSource) -> Bool {
        source.reading { reader in try stream(of: page, &reader).numbers(338, &reader).contains(1) } ?? false
    }

    /// False for a page whose resolution has no unit, and for a page that does not exist.
    package static func tellsDensity(_ page: Int, of source: some HeaderSource) -> Bool {
        source.reading { reader in try stream(of: page, &reader).unitsPerInch(&reader) != nil } ?? false
    }

    /// The most pages whose sizes are compared. A pyramid has one for each power of two.
    package static let mostCompared = 64

    /// The file's header with the size, orientation and decodability of a page, as if it were the only one. Nil if the page does not
    /// exist.
    /// - Parameter page: −1 is the largest and −2 the smallest of those that are compared.
    package static func header(
        of page: Int, in file: ImageHeader, _ source: some HeaderSource
    ) -> ImageHeader? {
        source.reading { reader in try choose(page, in: file, &reader) }
    }

    private static func choose(
        _ page: Int, in file: ImageHeader, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> ImageHeader {
        let stream = try TIFFStream(&reader, start: 0)
        var (offset, place, chosen): (Int, Int, ImageHeader?) = (stream.firstDirectory, 0, nil)
        for index in 0...max(0, page < 0 ? min(file.pages, mostCompared) - 1 : page) {
            let start = offset
            let directory = try stream.directory(&reader, at: start)
            offset = directory.next
            guard page < 0 || index == page, let width = directory.width, let height = directory.height
            else { continue }
            let size = PixelSize(width: width, height: height)
            let shown = file.only(size, orientation: directory.orientation ?? 1)
            guard shown.isPossible else { continue }
            let (area, best) = (shown.stored.area, chosen?.stored.area)
            if best.map({ page == -1 ? area > $0 : area < $0 }) ?? true { (chosen, place) = (shown, start) }
        }
        guard var chosen else { throw .damaged }
        chosen.isDecodable = (try? stream.beginning(at: place).hasUsualSamples(&reader)) ?? false
        return chosen
    }

    private static func stream(
        of page: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> TIFFStream {
        let stream = try TIFFStream(&reader, start: 0)
        var offset = stream.firstDirectory
        for _ in 0..<max(0, page) { offset = try stream.directory(&reader, at: offset).next }
        return stream.beginning(at: offset)
    }
}
