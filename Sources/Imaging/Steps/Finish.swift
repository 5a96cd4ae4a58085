// SPDX-License-Identifier: Apache-2.0

internal import ImageModel

extension Rendering {
    /// On white where the output has no alpha: nobody's default is libvips', which is black. What nobody can see of an
    /// original that came through as it was is not handed out either; every step leaves it without colour anyway.
    mutating func finish() throws(ImagingFailure) {
        guard pages[0].hasAlpha else { return }
        if format == .jpeg {
            try change { (page) throws(ImagingFailure) in try page.flattened(on: .white) }
        } else if !isChanged {
            pages = try pages.map { (page) throws(ImagingFailure) in try page.cleared() }
        }
    }

    /// The frames one below the other, as libvips' encoders want them. The height of a page is always said: what the
    /// original said of itself is wrong by now, and a still that claims two pages becomes an animation.
    func joined() throws(ImagingFailure) -> Picture {
        guard pages.count > 1 else { return try pages[0].paged(height: 0) }
        let strip = try Picture.joined(pages).paged(height: pages[0].size.height)
        return try strip.timed(timing.taken(pages.count, by: job.recipe))
    }
}
