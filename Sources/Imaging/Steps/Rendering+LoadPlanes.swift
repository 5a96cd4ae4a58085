// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Planar
internal import Recipes

extension Rendering {
    /// Loads a JPEG directly in its new size, if nothing precedes the resize and the resize makes the picture smaller.
    /// Decoding and resizing the stored planes in one pass takes about half of libvips' time. Returns false, without
    /// any effect, if the file is of another kind or irregular anywhere; libvips then decides about the file.
    mutating func loadPlanes(_ stored: PixelSize) throws(ImagingFailure) -> Bool {
        let target = target
        guard let jpeg = planarJPEG(stored),
            let picture = try planarPicture(of: jpeg, from: stored)
        else { return false }
        frames = Frames(picture)
        extent = target.extent
        (isChanged, isPlanar) = (true, true)
        // `load` looks at the attached profile, and a matrix profile is not attached.
        let profile = convertedProfile(of: jpeg)
        (isWide, changesPrimaries) = (keepsWide(nil, profile), profile?.isSRGB == false)
        return true
    }

    /// The profile from which colours are converted; nil if there is none, or if the result carries it.
    private func convertedProfile(of jpeg: PlanarJPEG) -> ICCProfile? {
        guard jpeg.bands == 3, kept(jpeg.profile) == nil else { return nil }
        return jpeg.profile.flatMap(ICCProfile.init)
    }

    /// The original as a JPEG that `Planar` may reduce; nil for other originals.
    func planarJPEG(_ stored: PixelSize) -> PlanarJPEG? {
        guard job.jpegLane, !givesUpPlanes, recipe.suitsJPEGLane(job.header),
            let jpeg = try? PlanarJPEG(source.file),
            PixelSize(width: jpeg.width, height: jpeg.height) == stored
        else { return nil }
        return jpeg
    }

    private func planarPicture(
        of jpeg: PlanarJPEG, from stored: PixelSize
    ) throws(ImagingFailure) -> Picture? {
        // Refuses a rendition that is too large before any pixels are computed.
        try checkSize(geometry.resized)
        try checkSize(geometry.canvas)
        // A matrix profile is applied to the rows as they come; another profile is attached, for
        // `convertColours`.
        let (profile, known) = (jpeg.profile, convertedProfile(of: jpeg))
        let gamut = keepsWide(nil, known) ? MatrixColours.Target.displayP3 : .sRGB
        let colours = known?.isSRGB == false ? profile.flatMap { MatrixColours($0, to: gamut) } : nil
        let canvas = try PlanarCanvas(target, bands: jpeg.bands, colours)
        do throws(JPEGLaneRefusal) {
            let shrink = Recipe.jpegShrink(from: stored, to: target)
            try jpeg.resize(shrink: shrink, width: target.width, height: target.height, canvas.append)
        } catch {
            return nil
        }
        source.markWhole()
        if let profile, colours == nil { canvas.attach(profile) }
        return canvas.picture
    }
}

/// A picture that is written row by row.
private final class PlanarCanvas {
    let picture: Picture
    private let samples: UnsafeMutableRawBufferPointer
    private let colours: MatrixColours?
    private var written = 0

    /// - Parameter colours: the conversion of each row; nil if none is needed.
    init(_ size: PixelSize, bands: Int, _ colours: MatrixColours?) throws(ImagingFailure) {
        var start: UnsafeMutablePointer<UInt8>?
        picture = try Picture(
            cvips_canvas(
                Int32(clamping: size.width), Int32(clamping: size.height), Int32(clamping: bands), &start))
        samples = UnsafeMutableRawBufferPointer(start: start, count: size.area * bands)
        self.colours = colours
    }

    func append(_ row: UnsafeRawBufferPointer) {
        let place = UnsafeMutableRawBufferPointer(rebasing: samples[written...].prefix(row.count))
        place.copyMemory(from: row)
        colours?.convert(place)
        written += row.count
    }

    func attach(_ profile: [UInt8]) { cvips_attach_profile(picture.image, profile, profile.count) }
}
