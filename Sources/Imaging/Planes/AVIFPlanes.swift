// SPDX-License-Identifier: Apache-2.0

internal import CEncoders
internal import CVips
internal import ImageHeaders
internal import Planar
internal import Recipes

/// Encodes a lossy AVIF with libheif, which needs the whole picture at once.
final class AVIFPlanes: PlaneEncoder {
    let form: PlaneForm
    let bands: Int
    private let file: Sink
    private let writer: OpaquePointer
    /// The unwritten rest of each plane.
    private var planes: [UnsafeMutableRawBufferPointer] = []
    private var strides: [Int] = []

    init(_ size: PixelSize, bands: Int, _ encoding: Encoding, _ file: Sink) throws(ImagingFailure) {
        form = PlaneForm(halvesChroma: encoding.halvesChroma(nil), isLimited: false)
        (self.bands, self.file) = (bands, file)
        var options = cavif_options(
            width: Int32(clamping: size.width), height: Int32(clamping: size.height), input: CAVIF_PLANES,
            quality: encoding.quality(nil), effort: Int32(encoding.job.defaults.avifEffort),
            half_chroma: form.halvesChroma, lossless: false, notes: cencoders_notes())
        let writer = encoding.notes.withEncoderNotes { notes in
            options.notes = notes
            return cavif_open(&options, Sink.write, file.context)
        }
        guard let writer else {
            throw .encoderFailed("libheif does not begin")
        }
        self.writer = writer
        for plane in 0..<3 {
            var stride: Int32 = 0
            guard let start = cavif_plane(writer, Int32(plane), &stride) else {
                throw .encoderFailed("libheif has no plane")
            }
            let height = plane > 0 && form.halvesChroma ? (size.height + 1) / 2 : size.height
            planes.append(UnsafeMutableRawBufferPointer(start: start, count: height * Int(stride)))
            strides.append(Int(stride))
            // Grey gets neutral chroma, 128.
            if plane > 0, bands == 1 { planes[plane].initializeMemory(as: UInt8.self, repeating: 128) }
        }
    }

    deinit { cavif_close(writer) }

    var microseconds: Int { Int(cavif_nanoseconds(writer) / 1000) }

    func append(_ plane: Int, _ row: UnsafeRawBufferPointer) -> Bool {
        guard row.count <= strides[plane], strides[plane] <= planes[plane].count else { return false }
        planes[plane].copyMemory(from: row)
        planes[plane] = UnsafeMutableRawBufferPointer(rebasing: planes[plane][strides[plane]...])
        return true
    }

    /// Encodes without AV1's tools for drawings, because a former JPEG has noise around every edge.
    func finish() -> Bool { cavif_finish(writer, false) == 0 }

    func failure(limit: Int) -> ImagingFailure {
        file.failure(String(cString: cavif_error(writer)), limit: limit)
    }
}
