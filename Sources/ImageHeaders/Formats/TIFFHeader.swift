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
    /// The pixels that are unpacked at once besides the page's own, in units of four bytes. A tile is unpacked whole, however
    /// little of it the page uses: TileWidth (322) × TileLength (323). With more than four samples a pixel (SamplesPerPixel,
    /// 277), libvips holds all of them. 0 if neither applies.
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
        // The price of deep pages includes these bytes.
        let isPaid = try isDeep(&reader, height: page.height ?? 0)
        let size = isPaid || bits <= 8 ? 1 : bits <= 16 ? 2 : 4
        return Int(saturatingProduct: max(tile, whole), max(samples, 4), size) / 4
    }

    /// Whether there is a sample behind the colours (SamplesPerPixel, 277). libvips takes it for alpha, with or without
    /// ExtraSamples (338), whatever that says. A sample behind four inks is ignored.
    fileprivate func hasAlpha(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Bool {
        let samples = try numbers(277, &reader).first ?? 1
        return switch try numbers(262, &reader).first {
        case 0, 1, 3: samples > 1
        case 5: false
        default: samples > 3
        }
    }

    /// Bits of an unpacked sample: BitsPerSample (258), or those of a float for LogLuv (262), whatever BitsPerSample says.
    private func bitsUnpacked(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Int {
        if try numbers(262, &reader).first == Self.logLuv { return 32 }
        return try numbers(258, &reader).first ?? 1
    }

    private static let logLuv = 32_845

    /// True for samples of more than 8 bits in strips or tiles that hold much of the picture, because libtiff unpacks each of them
    /// whole: RowsPerStrip (278), TileLength (323).
    fileprivate func isDeep(_ reader: inout HeaderReader, height: Int) throws(ImageHeaderError) -> Bool {
        guard try bitsUnpacked(&reader) > 8 else { return false }
        let (tiled, told) = (try numbers(323, &reader).first, try numbers(278, &reader).first)
        return (tiled ?? told ?? height) > height / 16
    }

    /// False for samples from which libvips makes no pixels, or wrong ones: BitsPerSample (258), SampleFormat
    /// (339), PhotometricInterpretation (262), SamplesPerPixel (277); and tiles (322) with a separate plane for
    /// each sample (284).
    fileprivate func hasUsualSamples(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Bool {
        let samples = try numbers(277, &reader).first ?? 1
        let planes = try numbers(284, &reader).first ?? 1
        let isTiled = try !numbers(322, &reader).isEmpty
        let colours = try numbers(262, &reader).first
        if samples > 1, planes == 2, isTiled || !Self.hasWholePlanes(colours) { return false }
        if let colours, !Self.mean(colours, samples) { return false }
        // InkSet (332): libvips treats other inks as if they were CMYK.
        if colours == 5, try numbers(332, &reader).first ?? 1 != 1 { return false }
        guard try hasUsualCoding(&reader, isTiled: isTiled, colours: colours) else { return false }
        let bits = try bitsUnpacked(&reader)
        // CIELAB has signed samples by definition, and libtiff unpacks LogLuv. The price has no room for more than 32 bits.
        if let colours, [8, 32_844, Self.logLuv].contains(colours) { return bits <= 32 }
        return switch try numbers(339, &reader).first ?? 1 {
        // Unsigned integers, and samples of unspecified format.
        case 1, 4: [1, 2, 4, 8, 16].contains(bits)
        // Floats are read only as RGB, as light from 0 to 1.
        case 3: bits == 32 && colours == 2
        default: false
        }
    }

    /// Whether this number of samples has a meaning. libvips treats unknown colours as grey or RGB: masks, raw sensor data, other
    /// variants of Lab, and three inks or fewer. Two samples are grey or an index, and alpha; with RGB, libvips would make two
    /// channels without meaning.
    private static func mean(_ colours: Int, _ samples: Int) -> Bool {
        switch colours {
        case 0, 1, 3: true
        case 5: samples > 3
        case 2, 6, 8, 32_844, logLuv: samples != 2
        default: false
        }
    }

    /// Whether libvips handles separate planes in strips correctly. When it converts samples, as for grey, palettes and CIELAB, it
    /// takes each row to be as long as that of one plane. RGB and inks are copied.
    private static func hasWholePlanes(_ colours: Int?) -> Bool { colours == 2 || colours == 5 }

    /// False, by Compression (259), for tiles that libvips from 8.18.2 on unpacks itself without checking that their samples fit: JPEG
    /// 2000 (33,003…33,005), and JPEG (7) in colours that a JPEG does not have. Also false for YCbCr that is not JPEG (6, 7), which
    /// libvips takes for RGB, or refuses if chroma has fewer samples.
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
