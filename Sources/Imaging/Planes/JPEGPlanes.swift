// SPDX-License-Identifier: Apache-2.0

internal import CEncoders
internal import ImageHeaders
internal import Planar
internal import Recipes

/// Encodes a JPEG with libjpeg.
final class JPEGPlanes: PlaneEncoder {
    let form: PlaneForm
    private let file: Sink
    private let writer: OpaquePointer
    let bands: Int
    private var failed = false

    init(_ size: PixelSize, bands: Int, _ encoding: Encoding, _ file: Sink) throws(ImagingFailure) {
        form = PlaneForm(halvesChroma: encoding.halvesChroma(nil), isLimited: false)
        self.bands = bands
        self.file = file
        var options = cjpeg_options(
            width: Int32(clamping: size.width), height: Int32(clamping: size.height),
            input: bands == 1 ? CJPEG_GREY : CJPEG_PLANES, quality: encoding.quality(nil),
            half_chroma: form.halvesChroma, optimised: encoding.job.defaults.jpegOptimised,
            progressive: encoding.job.recipe.interlaced)
        guard let writer = cjpeg_open(&options, Sink.write, file.context) else {
            throw .encoderFailed("libjpeg does not begin")
        }
        self.writer = writer
    }

    deinit { cjpeg_close(writer) }

    var microseconds: Int { Int(cjpeg_nanoseconds(writer) / 1000) }

    func append(_ plane: Int, _ row: UnsafeRawBufferPointer) -> Bool {
        let start = row.baseAddress?.assumingMemoryBound(to: UInt8.self)
        failed =
            bands == 1 ? cjpeg_row(writer, start) != 0 : cjpeg_plane_row(writer, Int32(plane), start) != 0
        return !failed
    }

    func finish() -> Bool { !failed && cjpeg_finish(writer) == 0 }

    func failure(limit: Int) -> ImagingFailure {
        file.failure(String(cString: cjpeg_error(writer)), limit: limit)
    }
}
