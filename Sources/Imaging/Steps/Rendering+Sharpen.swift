// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Without a sigma, a 3 × 3 kernel sharpens every channel. With a sigma, libvips' sharpen() sharpens only the
    /// lightness, and treats flat and jagged areas differently. Alpha stays as it is.
    mutating func sharpen() throws(ImagingFailure) {
        guard let sharpening = recipe.sharpen else { return }
        try change { (page) throws(ImagingFailure) in
            guard page.hasAlpha else { return try page.sharpened(by: sharpening) }
            let source = try page.buffered()
            return try source.withoutEdge(sigma: sharpening.sigma ?? 1).sharpened(by: sharpening)
        }
    }
}

extension Picture {
    fileprivate func sharpened(by sharpening: Sharpening) throws(ImagingFailure) -> Picture {
        if let sigma = sharpening.sigma {
            return try sharpened(sigma: sigma, flat: sharpening.flat, jagged: sharpening.jagged)
        }
        let colours = try opaque().convolved([-1, -1, -1, -1, 32, -1, -1, -1, -1], scale: 24)
        return try hasAlpha ? colours.addingAlpha(of: self) : colours
    }

    /// Gives invisible pixels the colours around them. Otherwise the visible edge would be sharpened against black, and
    /// shine.
    fileprivate func withoutEdge(sigma: Double) throws(ImagingFailure) -> Picture {
        // The blur is wider than the mask of sharpen(), whose Gaussian is cut off at a tenth of its height and
        // not at a fifth.
        let spread = try premultiplied { (page) throws(ImagingFailure) in
            try page.blurred(sigma: max(2 * sigma, 1))
        }
        return try filled(from: spread.buffered())
    }
}
