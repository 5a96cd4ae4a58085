// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Lays the job's watermark over every frame.
    mutating func stampWatermark() throws(ImagingFailure) {
        guard let watermark = recipe.watermark else { return }
        guard let original = job.watermark else { throw .unavailable("the watermark is missing") }
        let canvas = picture.size
        let plain = try Self.stamp(original, watermark, within: canvas, for: job)
        let stamp = isWide ? try plain.inDisplayP3() : plain
        let layer = try stamp.laid(at: watermark.position, watermark.effectiveShift, in: canvas)
        let opacity = UInt8((watermark.opacity * 255).rounded())
        try change { (page) throws(ImagingFailure) in
            try page.coloured().overlaid(with: layer, opacity: opacity)
        }
    }

    /// The watermark resized and in memory: RGB with alpha.
    private static func stamp(
        _ original: ImagingJob.Original, _ watermark: Watermark, within canvas: PixelSize, for job: ImagingJob
    ) throws(ImagingFailure) -> Picture {
        var job = job
        job.original = original
        job.watermark = nil
        job.recipe = Recipe()
        let width = watermark.scale.map { max(1, Int((Double(canvas.width) * $0).rounded())) }
        job.recipe.width = .pixels(min(width ?? canvas.width, canvas.width))
        let height = watermark.heightScale.map { max(1, Int((Double(canvas.height) * $0).rounded())) }
        job.recipe.height = .pixels(min(height ?? canvas.height, canvas.height))
        job.recipe.withoutEnlargement = width == nil && height == nil
        var rendering = try Rendering(job: job, source: try Source(job), wanted: 1)
        try rendering.load()
        try rendering.reshape()
        return try rendering.picture.coloured().translucent().inMemory()
    }
}

extension Picture {
    /// The picture at its place, or repeated, on a transparent one of the canvas's size.
    fileprivate func laid(
        at position: Watermark.Position, _ shift: PositionOffset, in canvas: PixelSize
    ) throws(ImagingFailure) -> Picture {
        switch position {
        case .at(let alignment):
            return try placed(alignment, shift, in: canvas)
        case .tile:
            return try tiled(over: canvas)
        case .row(let alignment):
            let row = try tiled(over: PixelSize(width: canvas.width, height: size.height))
            return try row.placed(alignment, shift, in: canvas)
        case .column(let alignment):
            let column = try tiled(over: PixelSize(width: size.width, height: canvas.height))
            return try column.placed(alignment, shift, in: canvas)
        }
    }

    func placed(
        _ alignment: Recipe.Alignment, _ shift: PositionOffset, in canvas: PixelSize
    ) throws(ImagingFailure) -> Picture {
        let corner = Geometry.corner(of: size, on: canvas, alignment, FocalPoint(), shift)
        return try embedded(x: corner.x, y: corner.y, in: canvas, on: .transparent)
    }
}
