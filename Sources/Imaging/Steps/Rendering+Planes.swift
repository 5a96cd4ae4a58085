// SPDX-License-Identifier: Apache-2.0

internal import CEncoders
internal import CVips
internal import ImageHeaders
internal import Planar
internal import Recipes

extension Rendering {
    /// Makes the rendition without ever making red, green and blue, where nothing but a size is asked of a JPEG that
    /// `Planar` reads: the resized planes are what JPEG and WebP are made of. Nil if something else is asked, or the file
    /// is of another kind; nothing is written then.
    mutating func renderPlanes(start: ContinuousClock.Instant) throws(ImagingFailure) -> Rendered? {
        let stored = PixelSize(width: job.header.width, height: job.header.height)
        guard takesPlanes, let jpeg = planarJPEG(stored), isPlain(jpeg.profile) else { return nil }
        try checkSize(geometry.resized)
        let encoding = Encoding(job: job, format: format, paletteBits: 0, resized: true, frames: 1)
        let file = Sink(inMemory: job.outputLimit)
        let encoder: any PlaneEncoder =
            format == .webp
            ? WebPPlanes(target, bands: jpeg.bands, encoding, file)
            : try JPEGPlanes(target, bands: jpeg.bands, encoding, file)
        do throws(GiveUp) {
            let shrink = ShrinkOnLoad.jpeg(from: stored, to: target)
            try jpeg.resizePlanes(
                shrink: shrink, width: target.width, height: target.height, form: encoder.form, encoder.append
            )
        } catch {
            // Another decoder shall see whether it can do more; to give up twice helps nobody.
            givesUpPlanes = true
            return nil
        }
        guard encoder.finish() else { throw encoder.failure(limit: job.outputLimit) }
        let output = Sink(descriptor: job.output, limit: job.outputLimit)
        let written = try sent(output, output.write(file.bytes))
        let total = (ContinuousClock.now - start).microseconds
        var result = Rendered(
            format: format, width: target.width, height: target.height, pages: 1, length: written,
            decoding: max(0, total - encoder.microseconds), encoding: encoder.microseconds, quality: nil,
            tries: 0)
        result.isPlanar = true
        return result
    }

    /// Whether an encoder can go on from planes, by what is asked.
    private var takesPlanes: Bool {
        guard format == .jpeg || format == .webp && !recipe.lossless, job.header.orientation == 1 else {
            return false
        }
        if case .likeness = recipe.quality { return false }
        return recipe.onlyResizes(job.header)
    }

    /// Whether colours mean what they mean without a profile.
    private func isPlain(_ profile: [UInt8]?) -> Bool {
        guard let profile else { return true }
        return ICCProfile(profile)?.isSRGB ?? true
    }
}

/// Takes the rows of planes and makes a file of them.
private protocol PlaneEncoder {
    var form: PlaneForm { get }
    /// Time that the encoder took.
    var microseconds: Int { get }
    /// The next row of a plane, from the top; false if it cannot be taken.
    func append(_ plane: Int, _ row: UnsafeRawBufferPointer) -> Bool
    func finish() -> Bool
    func failure(limit: Int) -> ImagingFailure
}

extension Sink {
    /// For `write`, as long as the sink lives.
    fileprivate var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// What an encoder calls with the bytes that it has made.
    fileprivate static let write: cencoders_write = { (context, bytes, length) in
        guard let context else { return -1 }
        let sink = Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
        return sink.write(UnsafeRawBufferPointer(start: bytes, count: length)) ? 0 : -1
    }

    /// - Parameter words: the encoder's; empty where it was this sink that failed.
    fileprivate func failure(_ words: String, limit: Int) -> ImagingFailure {
        isOver
            ? .outputTooLarge(limit: limit)
            : .cannotWrite(words.isEmpty ? "write: errno \(sink.error)" : words)
    }
}

/// A JPEG, by libjpeg.
private final class JPEGPlanes: PlaneEncoder {
    let form: PlaneForm
    private let file: Sink
    private let writer: OpaquePointer
    private let isGrey: Bool
    private var failed = false

    init(_ size: PixelSize, bands: Int, _ encoding: Encoding, _ file: Sink) throws(ImagingFailure) {
        let quality = encoding.quality(nil)
        // As libvips has it.
        form = PlaneForm(halvesChroma: quality < 90, isLimited: false)
        isGrey = bands == 1
        self.file = file
        var options = cjpeg_options(
            width: Int32(clamping: size.width), height: Int32(clamping: size.height),
            input: isGrey ? CJPEG_GREY : CJPEG_PLANES, quality: quality, half_chroma: form.halvesChroma,
            optimised: encoding.job.defaults.jpegOptimised, progressive: encoding.job.recipe.interlaced)
        guard let writer = cjpeg_open(&options, Sink.write, file.context) else {
            throw .cannotWrite("libjpeg does not begin")
        }
        self.writer = writer
    }

    deinit { cjpeg_close(writer) }

    var microseconds: Int { Int(cjpeg_nanoseconds(writer) / 1000) }

    func append(_ plane: Int, _ row: UnsafeRawBufferPointer) -> Bool {
        let start = row.baseAddress?.assumingMemoryBound(to: UInt8.self)
        failed = isGrey ? cjpeg_row(writer, start) != 0 : cjpeg_plane_row(writer, Int32(plane), start) != 0
        return !failed
    }

    func finish() -> Bool { !failed && cjpeg_finish(writer) == 0 }

    func failure(limit: Int) -> ImagingFailure {
        file.failure(String(cString: cjpeg_error(writer)), limit: limit)
    }
}

/// A lossy WebP, by libwebp, which wants all of the picture at once.
private final class WebPPlanes: PlaneEncoder {
    let form = PlaneForm(halvesChroma: true, isLimited: true)
    private(set) var microseconds = 0
    private let file: Sink
    private let size: PixelSize
    private let encoding: Encoding
    /// Y, Cb and Cr, one behind the other; grey has its middle in the last two.
    private let samples: UnsafeMutableRawBufferPointer
    private let starts: [Int]
    private var ends: [Int]
    private var error: Int32 = 0

    init(_ size: PixelSize, bands: Int, _ encoding: Encoding, _ file: Sink) {
        let half = (size.width + 1) / 2 * ((size.height + 1) / 2)
        samples = .allocate(byteCount: size.area + 2 * half, alignment: 64)
        if bands == 1 { samples.initializeMemory(as: UInt8.self, repeating: 128) }
        starts = [0, size.area, size.area + half]
        ends = starts
        (self.size, self.encoding, self.file) = (size, encoding, file)
    }

    deinit { samples.deallocate() }

    func append(_ plane: Int, _ row: UnsafeRawBufferPointer) -> Bool {
        UnsafeMutableRawBufferPointer(rebasing: samples[ends[plane]...].prefix(row.count)).copyMemory(
            from: row)
        ends[plane] += row.count
        return true
    }

    func finish() -> Bool {
        let start = ContinuousClock.now
        defer { microseconds = (ContinuousClock.now - start).microseconds }
        let planes = starts.map {
            UnsafeRawPointer(samples.baseAddress.unsafelyUnwrapped + $0).assumingMemoryBound(to: UInt8.self)
        }
        let half = Int32(clamping: (size.width + 1) / 2)
        var picture = cwebp_picture(
            width: Int32(clamping: size.width), height: Int32(clamping: size.height),
            planes: (planes[0], planes[1], planes[2]), strides: (Int32(clamping: size.width), half, half),
            quality: encoding.quality(nil), effort: Int32(encoding.job.defaults.webpEffort))
        error = cwebp_write(&picture, Sink.write, file.context)
        return error == 0
    }

    func failure(limit: Int) -> ImagingFailure {
        file.failure(file.sink.error != 0 ? "" : "libwebp: error \(error)", limit: limit)
    }
}
