// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Lays the picture on white where the output has no alpha; libvips would take black. Invisible pixels lose their
    /// colours: a cut or a turn moves those of the original, and a change of levels gives them new ones.
    mutating func finish() throws(ImagingFailure) {
        try unifyWithProfile()
        guard picture.hasAlpha else { return }
        if format == .jpeg {
            try change { (page) throws(ImagingFailure) in try page.flattened(on: .white) }
        } else {
            try frames.change { (page) throws(ImagingFailure) in try page.cleared() }
        }
    }

    /// A profile of RGB stands beside RGB only. A grey picture is one of sRGB where the curve is, as Display P3's is.
    private mutating func unifyWithProfile() throws(ImagingFailure) {
        guard picture.facts.bands < 3 else { return }
        isWide = false
        if keptProfile != nil { try frames.change { (page) throws(ImagingFailure) in try page.coloured() } }
    }

    /// The frames one below the other. The height of a page is always set: the original's own is wrong by now, and a
    /// still that claims two pages becomes an animation.
    func joined() throws(ImagingFailure) -> Picture {
        guard frames.count > 1 else { return try picture.paged(height: 0) }
        let strip = try frames.joined().paged(height: picture.size.height)
        let timed = try strip.timed(timing.taken(frames.count, by: job.recipe, for: format))
        // Frames of a GIF that nothing was done to are already as its author wanted them.
        let isSteadied = format == .gif && (isChanged || job.header.format != .gif)
        return isSteadied ? try timed.steadied() : timed
    }
}

extension Picture {
    /// An animation that shows no noise where nothing moves; a still is itself.
    func steadied() throws(ImagingFailure) -> Picture { try Picture(cvips_steady(image)) }
}
