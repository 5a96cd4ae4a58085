// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageModel

/// One job on its way from the original to the rendition.
///
/// Frames of an animation go through the steps side by side, each as a picture of its own: what is resized, turned
/// or cropped as one tall strip bleeds or breaks at the seams.
struct Rendering {
    let job: ImagingJob
    let source: Source
    let format: ImageFormat
    /// Frames wanted.
    let frames: Int

    // What `load` finds out.

    var pages: [Picture] = []
    var geometry: Geometry
    /// How large the stored picture is in loaded pixels. Not whole where it was shrunk on load: 1,801 pixels decoded
    /// at an eighth are 225.125, of which 225 are there.
    var extent: (width: Double, height: Double) = (0, 0)
    /// In which space the pixels are, until `convertColours`.
    var space = CVIPS_SPACE_RGB
    var profile: ICCProfile?
    var paletteBits = 0
    /// Of all the original's frames.
    var timing = Timing()

    init(job: ImagingJob, source: Source, frames: Int) {
        self.job = job
        self.source = source
        self.frames = frames
        format = job.recipe.resolvedOutput(for: job.header)
        geometry = Geometry.plan(upright: job.header.upright, recipe: job.recipe)
    }

    mutating func run() throws(ImagingFailure) -> Rendered {
        let start = ContinuousClock.now
        try load()
        if let limit = geometry.limitExceeded(writing: format) { throw .outputTooLarge(limit: limit) }
        try reshape()
        try place()
        try flatten()
        let picture = try joined()
        return try encode(picture, start: start)
    }

    /// From what was loaded to the upright picture of its new size.
    mutating func reshape() throws(ImagingFailure) {
        try unify()
        try resize()
        try convertColours()
        try orient()
    }
}
