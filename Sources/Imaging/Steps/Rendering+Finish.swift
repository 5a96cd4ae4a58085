// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// On white where the output has no alpha: nobody's default is libvips', which is black. What nobody can see of an
    /// original that came through as it was is not handed out either; every step leaves it without colour anyway.
    mutating func finish() throws(ImagingFailure) {
        try unifyWithProfile()
        guard picture.hasAlpha else { return }
        if format == .jpeg {
            try change { (page) throws(ImagingFailure) in try page.flattened(on: .white) }
        } else if !isChanged {
            try frames.change { (page) throws(ImagingFailure) in try page.cleared() }
        }
    }

    /// A profile of RGB stands beside RGB only. What has become grey is that of sRGB where its curve is, as Display P3's is.
    private mutating func unifyWithProfile() throws(ImagingFailure) {
        guard picture.facts.bands < 3 else { return }
        isWide = false
        if keptProfile != nil { try frames.change { (page) throws(ImagingFailure) in try page.coloured() } }
    }

    /// The frames one below the other. The height of a page is always said: what the
    /// original said of itself is wrong by now, and a still that claims two pages becomes an animation.
    func joined() throws(ImagingFailure) -> Picture {
        guard frames.count > 1 else { return try picture.paged(height: 0) }
        let strip = try frames.joined().paged(height: picture.size.height)
        return try strip.timed(timing.taken(frames.count, by: job.recipe))
    }
}
