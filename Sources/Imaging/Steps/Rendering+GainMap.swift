// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// The original's gain map reshaped like the rendition, if the recipe keeps it. Nil if it cannot be read, because the
    /// picture is whole without it.
    func shapedGainMap() -> GainMap? {
        guard recipe.keepsGainMap(of: job.header), let found = GainMap.find(in: source.file),
            let file = try? Source(found.place, of: source)
        else { return nil }
        return withExtendedLifetime(file) {
            guard let map = try? gainMap(of: file) else { return nil }
            let output = Sink(inMemory: job.outputLimit)
            // At a lower quality, steps between levels show as bands of light.
            var options = cvips_jpeg_options(
                quality: 90, half_chroma: false, optimised: true, progressive: false)
            guard cvips_save_jpeg(map.image, &output.sink, &options) == 0 else {
                // Clears the message, which would be reported with the picture's next failure otherwise.
                _ = Picture.error()
                return nil
            }
            return GainMap(found.terms, picture: output.bytes, isGrey: map.facts.bands == 1)
        }
    }

    /// Takes the map, in its own size, through the picture's steps, and then reduces it in the map's ratio to
    /// the picture.
    private func gainMap(of file: Source) throws -> Picture? {
        let (base, header) = (job.header, try ImageHeader.parse(MappedFile(bytes: file.file)))
        // The memory price relies on this bound. A progressive map holds its coefficients and costs four
        // times as much.
        let cost = header.isProgressive ? 4 : 1
        guard header.format == .jpeg, header.isDecodable,
            header.width <= base.width, header.height <= base.height / cost
        else { return nil }
        let picture = try file.load(CVIPS_JPEG)
        let facts = picture.facts
        guard picture.size == header.stored,
            facts.space == CVIPS_SPACE_GREY || facts.space == CVIPS_SPACE_RGB
        else { return nil }
        var map = try Rendering(job: job, source: source, wanted: 1)
        map.frames = Frames(picture)
        map.extent = header.stored.extent
        let ratio = (Double(header.width) / Double(base.width), Double(header.height) / Double(base.height))
        func reduced(_ size: PixelSize, isTurned: Bool) -> PixelSize {
            let (across, down) = isTurned ? (ratio.1, ratio.0) : ratio
            // Cannot trap: the sides are at most those of a rendition, and the ratio is at most 1.
            return PixelSize(
                width: max(1, Int((Double(size.width) * across).rounded())),
                height: max(1, Int((Double(size.height) * down).rounded())))
        }
        let isCut = map.geometry.placement != .whole || recipe.crop != nil
        try map.resize(to: isCut ? map.target : reduced(map.target, isTurned: false))
        try map.orient()
        try map.turnFirst()
        if isCut {
            try map.cover()
            try map.cropResult()
        }
        try map.turn()
        guard isCut else { return try map.picture.inMemory() }
        let (whole, isTurned) = (
            map.picture.size, (base.orientation >= 5) != [90, 270].contains(recipe.rotation)
        )
        map.frames = Frames(try map.picture.inMemory())
        map.extent = whole.extent
        try map.resize(to: reduced(whole, isTurned: isTurned))
        return try map.picture.inMemory()
    }
}
