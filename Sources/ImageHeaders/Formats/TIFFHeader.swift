// SPDX-License-Identifier: Apache-2.0

/// TIFF: size, orientation and alpha of the first directory; each directory of the chain is a page, of a size of its own.
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

    /// The number of directories, up to the first one that is unreadable or was seen before, the pixels of the largest and the most
    /// that are unpacked for one, and whether one of them is deep.
    private static func countPages(
        _ reader: inout HeaderReader, _ stream: TIFFStream, after first: TIFFStream.Directory,
        unpacked: Int, into header: inout ImageHeader
    ) {
        var seen: Set<Int> = [stream.firstDirectory]
        // The first page may be made from another, if that is a smaller level of it.
        var most = unpacked
        // A deep page costs 23 bytes a pixel, and the first one 4 if it is not deep. Tiles of a pyramid always hold much of the
        // smallest levels, which then cost less than the whole.
        // Cannot trap: 6.
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

/// The pages of a TIFF behind the first one, for which alone `ImageHeader.isDecodable` speaks.
package enum TIFFPages {
    /// False for a page whose samples are of a kind that is not read, and for one that is not there.
    package static func isDecodable(_ page: Int, of source: some HeaderSource) -> Bool {
        source.reading { reader in try stream(of: page, &reader).hasUsualSamples(&reader) } ?? false
    }

    /// True for a page whose colours are multiplied by its alpha: ExtraSamples (338) has a 1.
    package static func isMultiplied(_ page: Int, of source: some HeaderSource) -> Bool {
        source.reading { reader in try stream(of: page, &reader).numbers(338, &reader).contains(1) } ?? false
    }

    /// Pages whose sizes are compared. A pyramid has one for each power of two.
    package static let mostCompared = 64

    /// The file's header with a page's size and orientation, and whether its samples are read, as if there were no other page; nil for
    /// a page that is not there.
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
            var shown = file
            (shown.width, shown.height, shown.pages) = (width, height, 1)
            shown.orientation = directory.orientation ?? 1
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

extension TIFFStream {
    /// Pixels that are unpacked at once beside the page's own: of a tile, which is unpacked whole, however little of it the page
    /// takes, TileWidth (322) and TileLength (323), as many as have its bytes in fours; and for more samples a pixel than four,
    /// SamplesPerPixel (277), as many as have these samples in fours, because libvips holds all of them. 0 for none.
    fileprivate func unpacked(
        _ reader: inout HeaderReader, of page: Directory
    ) throws(ImageHeaderError) -> Int {
        var tile = 0
        if let across = try numbers(322, &reader).first, let down = try numbers(323, &reader).first {
            tile = Int(saturatingProduct: across, down)
        }
        let samples = try numbers(277, &reader).first ?? 1
        guard tile > 0 || samples > 4 else { return 0 }
        let whole = samples > 4 ? Int(saturatingProduct: page.width ?? 0, page.height ?? 0) : 0
        let bits = try bitsUnpacked(&reader)
        // The price of deep ones has their bytes.
        let isPaid = try isDeep(&reader, height: page.height ?? 0)
        let size = isPaid || bits <= 8 ? 1 : bits <= 16 ? 2 : 4
        return Int(saturatingProduct: max(tile, whole), max(samples, 4), size) / 4
    }

    /// Whether there is a sample behind the colours (SamplesPerPixel, 277). libvips takes it for alpha, whatever ExtraSamples (338)
    /// says, and without that tag too. A sample behind four inks is left out.
    fileprivate func hasAlpha(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Bool {
        let samples = try numbers(277, &reader).first ?? 1
        return switch try numbers(262, &reader).first {
        case 0, 1, 3: samples > 1
        case 5: false
        default: samples > 3
        }
    }

    /// Bits of a sample as it is unpacked: BitsPerSample (258), and of LogLuv (262) those of floating-point numbers, whatever it says.
    private func bitsUnpacked(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Int {
        if try numbers(262, &reader).first == Self.logLuv { return 32 }
        return try numbers(258, &reader).first ?? 1
    }

    private static let logLuv = 32_845

    /// True for samples of more than 8 bits in strips or tiles that hold much of the picture, each of which libtiff unpacks whole:
    /// RowsPerStrip (278), TileLength (323).
    fileprivate func isDeep(_ reader: inout HeaderReader, height: Int) throws(ImageHeaderError) -> Bool {
        guard try bitsUnpacked(&reader) > 8 else { return false }
        let (tiled, told) = (try numbers(323, &reader).first, try numbers(278, &reader).first)
        return (tiled ?? told ?? height) > height / 16
    }

    /// False for samples of which libvips makes no pixels, or wrong ones: BitsPerSample (258), SampleFormat (339),
    /// PhotometricInterpretation (262), SamplesPerPixel (277); and tiles (322) of one plane for each sample (284).
    fileprivate func hasUsualSamples(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Bool {
        let samples = try numbers(277, &reader).first ?? 1
        let planes = try numbers(284, &reader).first ?? 1
        let isTiled = try !numbers(322, &reader).isEmpty
        let colours = try numbers(262, &reader).first
        if samples > 1, planes == 2, isTiled || !Self.hasWholePlanes(colours) { return false }
        if let colours, !Self.mean(colours, samples) { return false }
        // InkSet (332): of other inks than CMYK libvips makes RGB as well.
        if colours == 5, try numbers(332, &reader).first ?? 1 != 1 { return false }
        guard try hasUsualCoding(&reader, isTiled: isTiled, colours: colours) else { return false }
        let bits = try bitsUnpacked(&reader)
        // CIELAB has signed samples by nature, and LogLuv is unpacked by libtiff. The price has no room for more than 32 bits.
        if let colours, [8, 32_844, Self.logLuv].contains(colours) { return bits <= 32 }
        return switch try numbers(339, &reader).first ?? 1 {
        // Whole numbers without a sign, and what is not said.
        case 1, 4: [1, 2, 4, 8, 16].contains(bits)
        // Of floating-point numbers only RGB is read as light from 0 to 1.
        case 3: bits == 32 && colours == 2
        default: false
        }
    }

    /// Whether so many samples have a meaning. libvips takes colours that it does not know for grey or RGB: masks, raw sensors, and
    /// other Labs, and three inks or fewer. Two samples are grey or an index, and alpha; of RGB libvips makes two channels of nothing.
    private static func mean(_ colours: Int, _ samples: Int) -> Bool {
        switch colours {
        case 0, 1, 3: true
        case 5: samples > 3
        case 2, 6, 8, 32_844, logLuv: samples != 2
        default: false
        }
    }

    /// Whether libvips finds the rows of a strip that it has put together from planes. Where it converts samples, as those of grey,
    /// of a palette and of CIELAB, it takes each row to be as long as that of one plane. RGB and inks it copies.
    private static func hasWholePlanes(_ colours: Int?) -> Bool { colours == 2 || colours == 5 }

    /// False by Compression (259) for tiles that libvips unpacks by itself without asking whether their samples have room, which it does
    /// from 8.18.2 on: those of JPEG 2000 (33,003…33,005), and of JPEG (7) in other colours than a JPEG has. And for YCbCr that is
    /// no JPEG (6, 7): libvips takes it for RGB, or refuses it where chroma has fewer samples.
    private func hasUsualCoding(
        _ reader: inout HeaderReader, isTiled: Bool, colours: Int?
    ) throws(ImageHeaderError) -> Bool {
        return switch try numbers(259, &reader).first ?? 1 {
        case 33_003...33_005: false
        case 7 where isTiled: [0, 1, 2, 5, 6].contains(colours)
        case 6, 7: true
        default: colours != 6
        }
    }
}
