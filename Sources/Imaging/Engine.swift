// SPDX-License-Identifier: Apache-2.0

internal import CVips
package import ImageHeaders
internal import Planar
package import Recipes

/// libvips in this process. The zygote starts libvips; only decoders read pictures.
///
/// **Isolation:** libvips' state belongs to the process. A decoder calls from one thread and makes one picture at a
/// time.
package enum Engine {
    /// Starts libvips with the HEIF module and those that `formats` need, one worker thread, no operation cache, and no
    /// loaders but those of `formats`. JPEG XL is written only if `more` names it. Call this before anything else allocates
    /// much, because it configures malloc(3) too.
    package static func start(
        reading formats: Set<ImageFormat>, writing more: Set<ImageFormat> = []
    ) throws(ImagingFailure) {
        let loaders = formats.compactMap(\.loader)
        guard cvips_start(loaders, Int32(loaders.count), more.contains(.jxl)) == 0 else {
            throw .unavailable(Picture.error())
        }
    }

    /// Maps memory for compiled loops. Forks would share the mapping and overwrite each other's code, so call this after the
    /// start, in the process that makes pictures.
    package static func reserveCode() { cvips_reserve_code() }

    /// "libvips 8.14.1, planar 1, heif 1.15.1, …", for the rendition key: the versions that libvips and the libraries that
    /// make pixels and files report in this process. Fonts are not part of it. Call this after the start.
    /// - Parameter jpegLane: whether jobs may take the JPEG lane.
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

    /// Bytes of pixels that libvips holds. The number is 0 a moment after a job, once libvips' worker thread has
    /// ended; a remainder means a leak.
    package static var pixelMemory: Int { cvips_tracked_memory() }

    /// Returns the memory that a job has freed to the system, so that the next job's memory can be measured.
    package static func releaseMemory() { cvips_release_memory() }

    /// The number of lines that libraries wanted to print since the start. They are counted and not printed.
    package static var warnings: Int { Int(clamping: cvips_warnings()) }

    /// Writes the rendition, or the JSON description, to the job's output and returns its measures.
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
