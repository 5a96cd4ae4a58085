// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension Rendering {
    mutating func blur() throws(ImagingFailure) {
        guard let blur = recipe.blur else { return }
        try change { (page) throws(ImagingFailure) in
            try page.premultiplied { (picture) throws(ImagingFailure) in
                switch blur {
                case .mild: try picture.convolved([Double](repeating: 1, count: 9), scale: 9)
                case .gaussian(let sigma): try picture.blurred(widely: sigma)
                }
            }
        }
    }
}

extension Picture {
    /// The largest sigma at which the picture is blurred directly, in pixels. A wider Gaussian leaves no detail that
    /// a smaller picture could not hold, so the picture is shrunk first and enlarged afterwards, which bounds the
    /// time for any sigma.
    private static let widestDirect = 24.0
    /// The sigma of the blur in the smaller picture, in its pixels. Shrinking and enlarging add a blur of
    /// less than half such a pixel.
    private static let shrunkSigma = 8.0

    func blurred(widely sigma: Double) throws(ImagingFailure) -> Picture {
        guard sigma > Self.widestDirect else { return try blurred(sigma: sigma) }
        let size = size
        let part = Self.shrunkSigma / sigma
        let small = PixelSize(
            width: max(1, Int((Double(size.width) * part).rounded())),
            height: max(1, Int((Double(size.height) * part).rounded())))
        let shrunk = try scaled(
            Double(small.width) / Double(size.width), Double(small.height) / Double(size.height))
        let blurred = try shrunk.exactly(small).blurred(sigma: Self.shrunkSigma).buffered()
        let enlarged = try blurred.scaled(
            Double(size.width) / Double(small.width), Double(size.height) / Double(small.height))
        return try enlarged.exactly(size)
    }
}
