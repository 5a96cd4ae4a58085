// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Mild: every channel by a 3 × 3 kernel. With a sigma: the lightness alone, by libvips' sharpen(), which tells
    /// flat areas from jagged ones. Alpha stays as it is in both.
    mutating func sharpen() throws(ImagingFailure) {
        guard let sharpening = recipe.sharpen else { return }
        try change { (page) throws(ImagingFailure) in
            guard page.hasAlpha else { return try page.sharpened(by: sharpening) }
            let source = try page.inMemory()
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

    /// The picture whose invisible pixels have the colours around them: else the visible edge would be sharpened against
    /// black, and shine.
    fileprivate func withoutEdge(sigma: Double) throws(ImagingFailure) -> Picture {
        // Wider than what sharpen() looks at, whose bell is cut off at a tenth of its height and not at a fifth.
        let spread = try premultiplied { (page) throws(ImagingFailure) in
            try page.blurred(sigma: max(2 * sigma, 1))
        }
        return try filled(from: spread.inMemory())
    }
}
