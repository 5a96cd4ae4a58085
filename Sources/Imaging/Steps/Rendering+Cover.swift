// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Cuts the canvas out of the resized picture.
    mutating func cover() throws(ImagingFailure) {
        switch geometry.placement {
        case .whole, .embed: break
        case .crop(let x, let y): try crop(x: x, y: y)
        case .cropByEntropy: try cropToInterest(byAttention: false)
        case .cropByAttention: try cropToInterest(byAttention: true)
        }
    }

    private mutating func crop(x: Int, y: Int) throws(ImagingFailure) {
        let canvas = geometry.canvas
        try change { (page) throws(ImagingFailure) in try page.cropped(x: x, y: y, to: canvas) }
    }

    private mutating func cropToInterest(byAttention: Bool) throws(ImagingFailure) {
        let canvas = geometry.canvas
        let point = try look { (scout) throws(ImagingFailure) in
            try scout.reshape()
        } finding: { (still) throws(ImagingFailure) in
            byAttention ? try still.attention(of: canvas) : try still.entropy(of: canvas)
        }
        try crop(x: point.x, y: point.y)
    }

    /// Looks at the first frame and finds where to crop every frame. One place serves all frames, because a window that moved
    /// from frame to frame would tremble.
    /// - Parameter prepare: takes a newly loaded frame through the steps that the frames have taken.
    mutating func look(
        after prepare: (inout Rendering) throws(ImagingFailure) -> Void,
        finding find: (Picture) throws(ImagingFailure) -> (x: Int, y: Int)
    ) throws(ImagingFailure) -> (x: Int, y: Int) {
        let still: Picture
        if frames.count == 1 {
            still = try picture.inMemory()
            frames = Frames(still)
        } else if frames.isSettled {
            // A trim has cut the frames by what all of them show. A scout has only the first frame and would cut
            // otherwise.
            try frames.makeFirst()
            still = picture
        } else {
            // The frames stream through once and cannot be looked at before, so the first frame is loaded
            // again.
            var scout = try Rendering(job: job, source: source, wanted: 1)
            try scout.load()
            try prepare(&scout)
            still = try scout.picture.inMemory()
        }
        return try find(still)
    }
}

extension Picture {
    /// The corner of the window of this size that draws the eye most. The picture must be in memory.
    func attention(of window: PixelSize) throws(ImagingFailure) -> (x: Int, y: Int) {
        let size = size
        let factor = min(1, Double(Saliency.longestSide) / Double(max(size.width, size.height)))
        let small = try premultiplied { (picture) throws(ImagingFailure) in
            try picture.scaled(max(factor, 1 / Double(size.width)), max(factor, 1 / Double(size.height)))
        }
        let corner = Saliency(rgba: try small.rgba(), size: small.size).corner(
            of: (
                Double(window.width) / Double(size.width), Double(window.height) / Double(size.height)
            ))
        return (
            min(Int((corner.x * Double(size.width)).rounded()), size.width - window.width),
            min(Int((corner.y * Double(size.height)).rounded()), size.height - window.height)
        )
    }
}
