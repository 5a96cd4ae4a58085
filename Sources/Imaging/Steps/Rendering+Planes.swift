// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Planar
internal import Recipes

extension Rendering {
    /// Makes the rendition from planes, without converting to RGB. This needs a JPEG that `Planar` reads, and a recipe
    /// that only makes it smaller, cuts at a known place and turns it upright; JPEG, WebP and AVIF encode planes. Returns
    /// nil, with nothing written, if the recipe asks for more or the file is of another kind.
    mutating func renderPlanes(start: ContinuousClock.Instant) throws(ImagingFailure) -> Rendered? {
        let stored = job.header.stored
        guard takesPlanes, let jpeg = planarJPEG(stored) else { return nil }
        let profile = jpeg.bands == 3 ? kept(jpeg.profile) : nil
        // Without conversion, the samples must be in sRGB, or the result must carry the profile.
        guard profile != nil || jpeg.profile.flatMap(ICCProfile.init)?.isSRGB ?? true else { return nil }
        try checkSize(geometry.resized)
        let canvas = geometry.canvas
        let orientation = Orientation(exif: job.header.orientation)
        var encoding = Encoding(job: job, format: format, paletteBits: 0, resized: true, frames: 1)
        encoding.notes = notes
        encoding.notes.profile = profile.map(FileNotes.Profile.own)
        let file = Sink(inMemory: job.outputLimit)
        var encoder: any PlaneEncoder =
            switch format {
            case .webp: WebPPlanes(canvas, bands: jpeg.bands, encoding, file)
            case .avif: try AVIFPlanes(canvas, bands: jpeg.bands, encoding, file)
            default: try JPEGPlanes(canvas, bands: jpeg.bands, encoding, file)
            }
        if orientation != .upright { encoder = OrientedPlanes(canvas, orientation, for: encoder) }
        do throws(JPEGLaneRefusal) {
            try jpeg.resizePlanes(
                shrink: Recipe.jpegShrink(from: stored, to: target), width: target.width,
                height: target.height, window: window(orientation), form: encoder.form, encoder.append)
        } catch {
            // libvips decides whether it can do more. `loadPlanes` need not fail on the same file again.
            givesUpPlanes = true
            return nil
        }
        guard encoder.finish() else { throw encoder.failure(limit: job.outputLimit) }
        let output = Sink(descriptor: job.output, limit: job.outputLimit)
        let written = try sent(
            output, encoding.notes.write(file.bytes, format, canvas, hasAlpha: false, to: output))
        let total = (ContinuousClock.now - start).microseconds
        var result = Rendered(
            format: format, width: canvas.width, height: canvas.height, pages: 1, length: written,
            decoding: max(0, total - encoder.microseconds), encoding: encoder.microseconds)
        result.isPlanar = true
        return result
    }

    /// Whether the recipe lets an encoder take planes.
    private var takesPlanes: Bool {
        guard format == .jpeg || [.webp, .avif].contains(format) && !recipe.lossless else { return false }
        if case .likeness = recipe.quality { return false }
        if recipe.maxBytes != nil { return false }
        return recipe.onlyResizesAndCuts(job.header)
    }

    /// The part of the resized picture that is kept, in the stored orientation.
    private func window(_ orientation: Orientation) -> PlaneWindow {
        var corner = (x: 0, y: 0)
        if case .crop(let x, let y) = geometry.placement { corner = (x, y) }
        return orientation.window(of: geometry.canvas, x: corner.x, y: corner.y, in: target)
    }
}
