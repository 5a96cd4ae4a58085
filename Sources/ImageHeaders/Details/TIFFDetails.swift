// SPDX-License-Identifier: Apache-2.0
//
// TIFF 6.0 §8: BitsPerSample (258), PhotometricInterpretation (262), SamplesPerPixel (277), SampleFormat (339).

extension ImageDetails {
    mutating func readTIFF(_ reader: inout HeaderReader) throws(ImageHeaderError) {
        let stream = try TIFFStream(&reader, start: 0)
        let bits = try stream.numbers(258, &reader).first ?? 1
        let samples = try stream.numbers(277, &reader).first ?? 1
        switch try stream.numbers(262, &reader).first {
        // The colours of a palette become 8 bits.
        case 3:
            setChannels(3, bits: 8)
            paletteBits = min(bits, 16)
        case 5:
            setChannels(min(samples, 64), bits: bits)
            space = .cmyk
        default: setChannels(min(samples, 64), bits: bits)
        }
        if try stream.numbers(339, &reader).first == 3 { depth = .float }
        if let profile = try stream.bytes(34_675, &reader) {
            setProfile(ICCDescription.read(&reader, in: profile))
        }
        try readResolution(&reader, stream)
    }

    /// Reads XResolution (282).
    private mutating func readResolution(
        _ reader: inout HeaderReader, _ stream: TIFFStream
    ) throws(ImageHeaderError) {
        guard let across = try stream.fraction(282, &reader), let units = try stream.unitsPerInch(&reader)
        else { return }
        setDensity(across * units)
    }
}

extension TIFFStream {
    /// Type, count and position of the values of a field in the first directory; nil without a usable field.
    private func field(
        _ tag: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> (type: Int, count: Int, values: Range<Int>)? {
        let wide = isBig ? 8 : 4
        for entry in try entries(&reader, of: firstDirectory).places {
            guard try number(&reader, at: entry, size: 2) == tag else { continue }
            let type = try number(&reader, at: entry + 2, size: 2)
            let count = try number(&reader, at: entry + 4, size: wide)
            // Text, rationals, and untyped bytes.
            guard let size = Self.sizes[type] ?? [2: 1, 5: 8, 7: 1][type] else { return nil }
            let (length, overflows) = count.multipliedReportingOverflow(by: size)
            guard !overflows, length > 0 else { return nil }
            let inPlace = entry + 4 + wide
            let first =
                length <= wide
                ? inPlace : start + min(try number(&reader, at: inPlace, size: wide), reader.length)
            guard first <= reader.length, length <= reader.length - first else { return nil }
            return (type, count, first..<(first + length))
        }
        return nil
    }

    /// The first eight values of an integer field; empty without such a field.
    func numbers(_ tag: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> [Int] {
        guard let (type, count, values) = try field(tag, &reader), let size = Self.sizes[type]
        else {
            return []
        }
        var numbers: [Int] = []
        for index in 0..<min(count, 8) {
            numbers.append(try number(&reader, at: values.lowerBound + index * size, size: size))
        }
        return numbers
    }

    /// The first value of a rational field; nil without such a field.
    func fraction(_ tag: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> Double? {
        guard let (type, _, values) = try field(tag, &reader), type == 5 else { return nil }
        let numerator = try number(&reader, at: values.lowerBound, size: 4)
        let denominator = try number(&reader, at: values.lowerBound + 4, size: 4)
        return denominator == 0 ? nil : Double(numerator) / Double(denominator)
    }

    /// TIFF 6.0 §8: units of the resolution in an inch, by ResolutionUnit (296): the inch (2), which is the default, or the
    /// centimetre (3). Nil for a resolution without a unit (1), which only gives a ratio.
    func unitsPerInch(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Double? {
        return switch try numbers(296, &reader).first ?? 2 {
        case 2: 1
        case 3: 2.54
        default: nil
        }
    }

    /// The position of a field of bytes; nil without such a field.
    func bytes(_ tag: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> Range<Int>? {
        guard let (type, _, values) = try field(tag, &reader), type == 1 || type == 7 else { return nil }
        return values
    }

    /// The bytes of a text field, at most `count`; nil without such a field.
    func text(_ tag: Int, _ reader: inout HeaderReader, atMost count: Int) throws(ImageHeaderError)
        -> [UInt8]?
    {
        // Some programs write texts as fields of bytes.
        guard let (type, _, values) = try field(tag, &reader), [1, 2, 7].contains(type) else { return nil }
        return try reader.bytes(at: values.lowerBound, count: min(values.count, count))
    }
}
