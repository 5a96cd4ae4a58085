// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import Recipes

extension Rendering {
    /// Takes the canvas out of the resized picture.
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

    /// Every frame is cropped where the first one is most interesting: a window that moves from frame to frame would
    /// tremble.
    private mutating func cropToInterest(byAttention: Bool) throws(ImagingFailure) {
        let still: Picture
        if frames.count == 1 {
            still = try picture.inMemory()
            frames = Frames(still)
        } else {
            // The frames stream through once and are not to be looked at before.
            var scout = try Rendering(job: job, source: source, wanted: 1)
            try scout.load()
            try scout.reshape()
            still = try scout.picture.inMemory()
        }
        let point = try still.interest(of: geometry.canvas, byAttention: byAttention)
        try crop(x: point.x, y: point.y)
    }
}
