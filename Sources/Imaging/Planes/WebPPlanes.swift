// SPDX-License-Identifier: Apache-2.0

internal import CEncoders
internal import CVips
internal import ImageHeaders
internal import Planar
internal import Recipes

/// Encodes a lossy WebP with libwebp, which needs the whole picture at once.
final class WebPPlanes: PlaneEncoder {
    let form = PlaneForm(halvesChroma: true, isLimited: true)
    private(set) var microseconds = 0
    let bands: Int
    private let file: Sink
    private let size: PixelSize
    private let encoding: Encoding
    /// Y, Cb and Cr one behind the other; grey has neutral chroma, 128.
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
        (self.size, self.bands, self.encoding, self.file) = (size, bands, encoding, file)
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
        file.failure(Self.words(error), limit: limit)
    }

    /// Words for libwebp's error number; `ImagingFailure.tellsOfMemory` knows a lack of memory by them.
    static func words(_ error: Int32) -> String {
        cwebp_lacks_memory(error) ? "libwebp: out of memory, error \(error)" : "libwebp: error \(error)"
    }
}
