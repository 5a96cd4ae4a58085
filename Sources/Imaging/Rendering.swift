// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

/// One job on its way from the original to the rendition.
///
/// Frames of an animation go through the steps one by one, each as a picture of its own: what is resized, turned or
/// cropped as one tall strip bleeds or breaks at the seams.
struct Rendering {
    private(set) var job: ImagingJob
    let source: Source
    let format: ImageFormat
    /// Frames.
    let wanted: Int

    // Facts of the picture, which `load` finds out.

    /// A pixel until then.
    var frames: Frames
    var geometry: Geometry
    /// EXIF orientation of the page that is shown; the header tells that of the first.
    var orientation: Int
    /// How large the stored picture is in loaded pixels. Not whole where it was shrunk on load: 1,801 pixels decoded
    /// at an eighth are 225.125, of which 225 are there.
    var extent: (width: Double, height: Double) = (0, 0)
    /// In which space the pixels are, until `convertColours`.
    var space = CVIPS_SPACE_RGB
    var profile: ICCProfile?
    /// How the file says that its numbers become colours, where no profile counts; nil once they are sRGB's.
    var described: ColourDescription?
    /// The pixels were not sRGB's before that.
    var wasDescribed = false
    var paletteBits = 0
    /// The timing of all the original's frames.
    var timing = Timing()

    /// The pixels are, or become, those of Display P3; else of sRGB, or of `keptProfile`.
    var isWide = false
    /// The original's own profile, which the result carries; the numbers of the pixels are left as they are.
    var keptProfile: [UInt8]?
    /// The pixels had other primaries than they have in the result.
    var changesPrimaries = false
    /// The gain map of a JPEG, in the picture's shape.
    var gainMap: GainMap?

    /// Some step has made other pixels than the original's.
    var isChanged = false
    /// The pixels were loaded in the new size, by `loadPlanes`.
    var isPlanar = false
    /// `Planar` has found the file irregular.
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

    /// From the loaded picture to the upright picture of its new size. What is cut off the original is cut off the picture
    /// as it is meant to be seen; nothing else needs all of its pixels.
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

    /// The original as it is meant to be seen, without its border.
    mutating func showOriginal() throws(ImagingFailure) {
        try convertColours()
        try orient()
        try trim()
        if recipe.crop?.beforeResize == true { try turnFirst() }
    }

    /// The colours that the recipe names, in the numbers of Display P3.
    private mutating func showColoursInP3() { job.recipe = job.recipe.inDisplayP3 }

    /// The limits were held against the header. Trimming, cutting and rotating make sizes of their own.
    func checkSize(_ size: PixelSize) throws(ImagingFailure) {
        guard max(size.width, size.height) <= format.longestSide else {
            throw .outputTooLarge(.side(format.longestSide))
        }
        guard size.width * size.height <= job.pixelLimit / max(1, frames.count) else {
            throw .outputTooLarge(.pixels(job.pixelLimit))
        }
    }

    /// One step: each frame becomes another picture.
    mutating func change(_ step: @escaping Frames.Step) throws(ImagingFailure) {
        try frames.change(step)
        isChanged = true
    }
}
