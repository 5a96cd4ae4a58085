// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageModel

extension Rendering {
    /// Takes the canvas out of the picture, or puts the picture on the canvas.
    mutating func place() throws(ImagingFailure) {
        switch geometry.placement {
        case .whole: break
        case .crop(let x, let y): try crop(x: x, y: y)
        case .cropByEntropy: try cropToInterest(byAttention: false)
        case .cropByAttention: try cropToInterest(byAttention: true)
        case .embed(let x, let y): try embed(x: x, y: y)
        }
    }

    private mutating func crop(x: Int, y: Int) throws(ImagingFailure) {
        let canvas = geometry.canvas
        pages = try pages.map { (page) throws(ImagingFailure) in try page.cropped(x: x, y: y, to: canvas) }
    }

    /// Every frame is cropped where the first one is most interesting: a window that moves from frame to frame would
    /// tremble.
    private mutating func cropToInterest(byAttention: Bool) throws(ImagingFailure) {
        let still: Picture
        if pages.count == 1 {
            still = try pages[0].inMemory()
            pages = [still]
        } else {
            // The frames stream through once and are not to be looked at before.
            var scout = Rendering(job: job, source: source, frames: 1)
            try scout.load()
            try scout.reshape()
            still = try scout.pages[0].inMemory()
        }
        let point = try still.interest(of: geometry.canvas, byAttention: byAttention)
        try crop(x: point.x, y: point.y)
    }

    /// The bars are transparent where the output can be, else white.
    private mutating func embed(x: Int, y: Int) throws(ImagingFailure) {
        let (canvas, transparent) = (geometry.canvas, format != .jpeg)
        pages = try pages.map { (page) throws(ImagingFailure) in
            let base = transparent && !page.hasAlpha ? try page.addingAlpha() : page
            let surround = base.hasAlpha ? CVIPS_SURROUND_CLEAR : CVIPS_SURROUND_WHITE
            return try base.embedded(x: x, y: y, in: canvas, surround: surround)
        }
    }
}
