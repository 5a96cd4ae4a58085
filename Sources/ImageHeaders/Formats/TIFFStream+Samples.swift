// SPDX-License-Identifier: Apache-2.0

/// The samples of the first directory: how many bits they have, what they mean, and what unpacking them takes.
extension TIFFStream {
    /// The pixels that are unpacked at once besides the page's own, in units of four bytes. A tile is unpacked whole, however
    /// little of it the page uses: TileWidth (322) × TileLength (323). With more than four samples a pixel (SamplesPerPixel,
    /// 277), libvips holds all of them. 0 if neither applies.
    func unpacked(
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
    func hasAlpha(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Bool {
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
    func isDeep(_ reader: inout HeaderReader, height: Int) throws(ImageHeaderError) -> Bool {
        guard try bitsUnpacked(&reader) > 8 else { return false }
        let (tiled, told) = (try numbers(323, &reader).first, try numbers(278, &reader).first)
        return (tiled ?? told ?? height) > height / 16
    }

    /// False for samples from which libvips makes no pixels, or wrong ones: BitsPerSample (258), SampleFormat
    /// (339), PhotometricInterpretation (262), SamplesPerPixel (277); and tiles (322) with a separate plane for
    /// each sample (284).
    func hasUsualSamples(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Bool {
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
