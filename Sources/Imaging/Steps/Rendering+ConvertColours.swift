// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Converts to sRGB, Display P3 or grey, only if an embedded profile says something else. Converting samples that are sRGB
    /// already to libvips' sRGB profile would shift white to 250,253,253.
    mutating func convertColours() throws(ImagingFailure) {
        if described != nil { return try applyDescription() }
        let isPerceptualOnly = profile?.isPerceptualOnly ?? false
        let embedded = isPerceptualOnly ? CVIPS_PROFILE_EMBEDDED_PERCEPTUAL : CVIPS_PROFILE_EMBEDDED
        let isOfPress = profile?.space == .cmyk
        switch space {
        case CVIPS_SPACE_CMYK:
            try frames.change { (page) throws(ImagingFailure) in
                // CMYK without a profile, or with a damaged one, is converted by the profile of an average
                // press.
                if isOfPress, let converted = try? page.toSRGB(from: embedded) {
                    return converted
                }
                return try page.toSRGB(from: CVIPS_PROFILE_PRESS)
            }
        case CVIPS_SPACE_GREY where profile?.space == .grey:
            try frames.change { (page) throws(ImagingFailure) in
                guard let converted = try? page.toSRGB(from: embedded) else { return page }
                // Red, green and blue are equal now, so the last of them, with alpha, is grey again.
                return try converted.bands(2..<converted.facts.bands)
            }
        case CVIPS_SPACE_RGB where profile?.space == .rgb && profile?.isSRGB == false:
            if isWide, (try? picture.toP3(from: embedded)) != nil {
                return try frames.change { (page) throws(ImagingFailure) in try page.toP3(from: embedded) }
            }
            isWide = false
            try frames.change { (page) throws(ImagingFailure) in
                (try? page.toSRGB(from: embedded)) ?? page
            }
        default: break
        }
    }

    /// Applies the description of the colours by the file, or by a profile of a high range. Samples of more than 8 bits are
    /// converted at once, because all later steps take 8 bits, which have too few levels for PQ, HLG and linear light.
    mutating func describeColours() throws(ImagingFailure) {
        guard space == CVIPS_SPACE_RGB || space == CVIPS_SPACE_GREY,
            let colours = source.colours ?? describedByProfile
        else { return }
        profile = nil
        guard !colours.isSRGB else { return }
        (described, wasDescribed) = (colours, true)
        if !picture.facts.plain || colours.isHighRange { try applyDescription() }
    }

    private var describedByProfile: ColourDescription? {
        guard space == CVIPS_SPACE_RGB, var colours = profile?.highRange else { return nil }
        if picture.facts.plain { colours.depth = 8 }
        return colours
    }

    /// Whether the result shall and can have colours outside sRGB.
    func keepsWide(_ described: ColourDescription?, _ profile: ICCProfile?) -> Bool {
        guard recipe.profile != .sRGB, format.canTellProfile else { return false }
        return described?.primaries.exceedSRGB ?? profile?.isWide ?? false
    }

    /// The embedded profile, if the recipe wants it kept and the format can carry it. Only for RGB: the formats are grey or RGB,
    /// and a grey picture has no colours to lose. A profile that lcms cannot read, or that lacks its data, means nothing to any
    /// program.
    func kept(_ embedded: [UInt8]?) -> [UInt8]? {
        guard recipe.profile == .own, format.canTellProfile, !recipe.namesColours, source.colours == nil,
            let embedded, embedded.count <= FileNotes.longestProfile,
            ICCProfile(embedded)?.space == .rgb, ICCProfile.isWhole(embedded),
            let pixel = try? Picture(samples: [0, 0, 0], size: PixelSize(width: 1, height: 1), bands: 3),
            cvips_is_profile_of(pixel.image, embedded, embedded.count)
        else { return nil }
        return embedded
    }

    private mutating func applyDescription() throws(ImagingFailure) {
        let target = isWide ? Chromaticities.displayP3 : .sRGB
        guard let colours = described, let light = LightConversion(colours, to: target) else {
            (described, isWide) = (nil, false)
            return
        }
        try frames.change { (page) throws(ImagingFailure) in try page.converted(by: light) }
        described = nil
    }
}
