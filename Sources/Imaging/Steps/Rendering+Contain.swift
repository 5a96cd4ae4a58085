// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Puts the picture on the canvas, with bars around it. Bars have a colour, so grey becomes RGB.
    mutating func contain() throws(ImagingFailure) {
        guard case .embed = geometry.placement else { return }
        let (canvas, given, sample) = (geometry.canvas, recipe.containBackground, recipe.containSample)
        // The recipe's crop may have made the picture smaller than planned.
        let corner = Geometry.corner(
            of: picture.size, on: canvas, recipe.alignment, geometry.focalPoint, recipe.shift)
        if let sigma = recipe.containBlur {
            return try change { (page) throws(ImagingFailure) in
                let page = try page.coloured().buffered()
                let layer = try page.translucent().embedded(
                    x: corner.x, y: corner.y, in: canvas, on: .transparent)
                return try page.behind(canvas, blurredBy: sigma).overlaid(with: layer, opacity: 255)
            }
        }
        try change { (page) throws(ImagingFailure) in
            let page = try sample == nil ? page : page.inMemory()
            let colour =
                try sample.map { (sample) throws(ImagingFailure) in try page.colour(of: sample) } ?? given
            let coloured = try page.coloured()
            let base = colour.isOpaque ? coloured : try coloured.translucent()
            return try base.embedded(x: corner.x, y: corner.y, in: canvas, on: colour)
        }
    }
}

extension Picture {
    /// The middle of a picture in memory, blurred and as large as the canvas. The blur comes before the enlargement, which
    /// costs less and looks the same.
    fileprivate func behind(_ canvas: PixelSize, blurredBy sigma: Double) throws(ImagingFailure) -> Picture {
        let size = size
        let (across, down) = (
            Double(canvas.width) / Double(size.width), Double(canvas.height) / Double(size.height)
        )
        let factor = max(across, down)
        func part(_ side: Int, _ whole: Int) -> Int {
            min(max(Int((Double(side) / factor).rounded()), 1), whole)
        }
        let window = PixelSize(
            width: part(canvas.width, size.width), height: part(canvas.height, size.height))
        let middle = try cropped(
            x: (size.width - window.width) / 2, y: (size.height - window.height) / 2, to: window)
        return try middle.premultiplied { (picture) throws(ImagingFailure) in
            try picture.blurred(widely: max(sigma / factor, 0.3)).buffered()
                .scaled(
                    Double(canvas.width) / Double(window.width), Double(canvas.height) / Double(window.height)
                )
                .exactly(canvas)
        }
    }
}
