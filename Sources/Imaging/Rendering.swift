// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

/// One job and the state of its picture, from the original to the rendition.
///
/// Every frame of an animation goes through the steps as a picture of its own, because a tall strip of frames would
/// bleed or break at the seams when it is resized, turned or cropped.
struct Rendering {
    private(set) var job: ImagingJob
    let source: Source
    let format: ImageFormat
    /// The number of frames that are taken.
    let wanted: Int

    // Facts of the picture, set by `load`.

    /// A single pixel until `load` has run.
    var frames: Frames
    var geometry: Geometry
    /// The EXIF orientation of the page that is shown; initially the header's, which is the first page's.
    var orientation: Int
    /// The size of the stored picture in loaded pixels. It is not whole after shrink-on-load: 1,801 pixels decoded
    /// at an eighth are 225.125, of which 225 exist.
    var extent: (width: Double, height: Double) = (0, 0)
    /// The colour space of the pixels until `convertColours`.
    var space = CVIPS_SPACE_RGB
    var profile: ICCProfile?
    /// The file's description of its colours, if no profile counts; nil once the samples are converted.
    var described: ColourDescription?
    /// True if the samples were described and not sRGB.
    var wasDescribed = false
    var paletteBits = 0
    /// The density of the stored picture.
    var density = Density.usual
    /// The timing of all the original's frames.
    var timing = Timing()

    /// True if the pixels are in Display P3, or will be converted to it. Else they are in sRGB, or in
    /// `keptProfile`.
    var isWide = false
    /// The original's own profile, which the result carries; the samples are not converted.
    var keptProfile: [UInt8]?
    /// True if the result has other primaries than the original.
    var changesPrimaries = false
    /// The gain map of a JPEG, reshaped like the picture.
    var gainMap: GainMap?

    /// True if a step has changed the original's pixels.
    var isChanged = false
    /// True if `loadPlanes` has loaded the pixels in the new size.
    var isPlanar = false
    /// True if `Planar` has found the file irregular.
    var givesUpPlanes = false

    init(job: ImagingJob, source: Source, wanted: Int) throws(ImagingFailure) {
        self.job = job
        self.source = source
        self.wanted = wanted
        frames = Frames(try Picture(samples: [0], size: PixelSize(width: 1, height: 1), bands: 1))
        format = job.recipe.resolvedOutput(for: job.header)
        geometry = Geometry.plan(upright: job.header.upright, recipe: job.recipe)
        orientation = job.header.orientation
    }

    var recipe: Recipe { job.recipe }

    /// The first frame.
    var picture: Picture { frames.first }

    mutating func run() throws(ImagingFailure) -> Rendered {
        let start = ContinuousClock.now
        gainMap = shapedGainMap()
        if let rendered = try renderPlanes(start: start) { return rendered }
        try load()
        if isWide { showColoursInP3() }
        try checkSize(geometry.resized)
        try checkSize(geometry.canvas)
        try reshape()
        try cover()
        try cropResult()
        try contain()
        try turn()
        try adjustBrightness()
        try modulate()
        try adjustContrast()
        try adjustGamma()
        try sharpen()
        try filter()
        try blur()
        try pixelate()
        try tint()
        try roundCorners()
        try pad()
        try layOnBackground()
        try mask()
        try stampWatermark()
        try writeText()
        try finish()
        let picture = try joined()
        return try encode(picture, start: start)
    }

    /// From the loaded picture to the upright picture of its new size. If a part is cut off the original, all pixels are
    /// converted and turned upright first, because the cut is defined in the picture as it is shown. Otherwise the picture
    /// is made small first.
    mutating func reshape() throws(ImagingFailure) {
        try unify()
        guard recipe.cutsOriginal else {
            try resize(to: target)
            try convertColours()
            try orient()
            return try turnFirst()
        }
        try showOriginal()
        let cropsOriginal = recipe.crop?.beforeResize == true
        try cropOriginal()
        let kept = picture.size
        extent = kept.extent
        geometry = Geometry.plan(upright: kept, recipe: recipe)
        try checkSize(geometry.resized)
        try resize(to: geometry.resized)
        if !cropsOriginal { try turnFirst() }
    }

    /// Makes the original look as it is shown, and trims its border.
    mutating func showOriginal() throws(ImagingFailure) {
        try convertColours()
        try orient()
        try trim()
        if recipe.crop?.beforeResize == true { try turnFirst() }
    }

    /// Converts the colours that the recipe names to Display P3.
    private mutating func showColoursInP3() { job.recipe = job.recipe.inDisplayP3 }

    /// Checks a size against the limits. They were checked with the header's size before, but trimming,
    /// cutting and rotating make other sizes.
    func checkSize(_ size: PixelSize) throws(ImagingFailure) {
        guard max(size.width, size.height) <= format.longestSide else {
            throw .outputTooLarge(.side(format.longestSide))
        }
        guard size.width * size.height <= job.pixelLimit / max(1, frames.count) else {
            throw .outputTooLarge(.pixels(job.pixelLimit))
        }
    }

    /// Applies one step, which replaces every frame.
    mutating func change(_ step: @escaping Frames.Step) throws(ImagingFailure) {
        try frames.change(step)
        isChanged = true
    }
}
