// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Engine {
    /// Writes a harmless copy of a drawing that is served as a drawing. The size is the header's; a drawing without a
    /// size counts as 300 × 150, the default of CSS for replaced elements.
    static func keepDrawing(_ job: ImagingJob, _ source: Source) throws(ImagingFailure) -> Rendered {
        let start = ContinuousClock.now
        let drawing: [UInt8]
        do throws(CleanDrawing.Refusal) {
            drawing = try CleanDrawing.of(source.file)
        } catch {
            throw .drawingRefused(error.words)
        }
        let output = Sink(descriptor: job.output, limit: job.outputLimit)
        guard output.write(drawing) else { throw output.failure(limit: job.outputLimit) }
        let size = job.header.width > 0 ? job.header.upright : PixelSize(width: 300, height: 150)
        return Rendered(
            format: .svg, width: size.width, height: size.height, pages: 1, length: output.length,
            decoding: (ContinuousClock.now - start).microseconds, encoding: 0)
    }
}
