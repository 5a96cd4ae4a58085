// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Lays the picture on white if the output has no alpha, because libvips would take black. Clears the colours of
    /// invisible pixels, because cutting and turning keep the original's, and level changes make new ones.
    mutating func finish() throws(ImagingFailure) {
        try unifyWithProfile()
        guard picture.hasAlpha else { return }
        if format == .jpeg {
            try change { (page) throws(ImagingFailure) in try page.flattened(on: .white) }
        } else {
            try frames.change { (page) throws(ImagingFailure) in try page.cleared() }
        }
    }

    /// An RGB profile needs an RGB picture. A grey picture without a kept profile is written as sRGB, whose tone
    /// curve Display P3 shares.
    private mutating func unifyWithProfile() throws(ImagingFailure) {
        guard picture.facts.bands < 3 else { return }
        isWide = false
        if keptProfile != nil { try frames.change { (page) throws(ImagingFailure) in try page.coloured() } }
    }

    /// The frames one below the other. The page height is always set, because the original's height is wrong by now,
    /// and a still picture that claims two pages would become an animation.
    func joined() throws(ImagingFailure) -> Picture {
        guard frames.count > 1 else { return try dense(picture.paged(height: 0)) }
        let strip = try frames.joined().paged(height: picture.size.height)
        let timed = try strip.timed(timing.taken(frames.count, by: job.recipe, for: format))
        // The unchanged frames of a GIF are already as their author wanted them.
        let isSteadied = format == .gif && (isChanged || job.header.format != .gif)
        return isSteadied ? try timed.steadied() : timed
    }

    /// The picture with the original's density. One that was turned on its side has it the other way round.
    private func dense(_ picture: Picture) throws(ImagingFailure) -> Picture {
        guard format == .png || format == .tiff else { return picture }
        let isTurned = recipe.isQuarterTurn && recipe.rotation.truncatingRemainder(dividingBy: 180) != 0
        return try picture.printed(at: (orientation >= 5) == isTurned ? density : density.lyingDown)
    }
}

extension Picture {
    /// The animation without noise where nothing moves. A still picture is returned unchanged.
    func steadied() throws(ImagingFailure) -> Picture { try Picture(cvips_steady(image)) }
}
