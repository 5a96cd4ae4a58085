// SPDX-License-Identifier: Apache-2.0

internal import CVips
package import ImageHeaders
internal import Planar
package import Recipes

/// libvips in this process. Started in the zygote; pictures are read in decoders only.
///
/// **Isolation:** libvips' state is the process's; a decoder calls from one thread and makes one picture at a time.
package enum Engine {
    /// Starts libvips: the HEIF module and those that the formats need, one worker thread, no operation cache, and no loaders
    /// but those of the formats. JPEG XL is written only where it is named. To be called before anything else allocates much,
    /// because it sets up malloc(3) too.
    package static func start(
        reading formats: Set<ImageFormat>, writing more: Set<ImageFormat> = []
    ) throws(ImagingFailure) {
        let loaders = formats.compactMap(\.loader)
        guard cvips_start(loaders, Int32(loaders.count), more.contains(.jxl)) == 0 else {
            throw .unavailable(Picture.error())
        }
    }

    /// Maps the room for compiled loops. Forks would share it and overwrite each other's code: to be called after the start,
    /// in the process that makes pictures.
    package static func reserveCode() { cvips_reserve_code() }

    /// "libvips 8.14.1, planar 1, heif 1.15.1, …", for the rendition key: libvips and the libraries beside it that pixels and
    /// files come from, by the versions that they tell in this process. Fonts are not in it. To be called after the start.
    /// - Parameter jpegLane: whether jobs may take it.
    package static func version(jpegLane: Bool) -> String {
        var (major, minor, micro): (Int32, Int32, Int32) = (0, 0, 0)
        cvips_version(&major, &minor, &micro)
        let lane = jpegLane ? ", planar \(PlanarJPEG.version)" : ""
        return "libvips \(major).\(minor).\(micro)\(lane), \(libraries)"
    }

    private static var libraries: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 448) { buffer in
            buffer.initialize(repeating: 0)
            cvips_library_versions(buffer.baseAddress, buffer.count)
            return buffer.withMemoryRebound(to: UInt8.self) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
    }

    /// Bytes of pixels that libvips holds: 0 a moment after a job, when its worker thread has ended, else something
    /// leaks.
    package static var pixelMemory: Int { cvips_tracked_memory() }

    /// Gives back what a job has freed, so that the memory of the next one can be told from it.
    package static func releaseMemory() { cvips_release_memory() }

    /// Lines that libraries wanted to print since the start; they are counted instead.
    package static var warnings: Int { Int(clamping: cvips_warnings()) }

    /// Makes the rendition, or the JSON description, into the job's output and returns its measures.
    package static func render(_ job: ImagingJob) throws(ImagingFailure) -> Rendered {
        let source = try Source(job)
        if job.recipe.output == .json {
            var looking = try Rendering.inspecting(job, source)
            return try looking.inspect(for: job.recipe.jsonExtras)
        }
        if job.recipe.keepsDrawing(of: job.header) { return try keepDrawing(job, source) }
        let wanted = job.recipe.framesTaken(from: job.header)
        var rendering = try Rendering(job: job, source: source, wanted: wanted)
        return try rendering.run()
    }
}
