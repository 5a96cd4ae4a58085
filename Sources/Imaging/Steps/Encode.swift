// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageModel

extension Rendering {
    /// Writes the rendition. The pixels are made now, while the encoder asks for them.
    func encode(_ picture: Picture, start: ContinuousClock.Instant) throws(ImagingFailure) -> Rendered {
        let prepared = ContinuousClock.now
        let encoding = Encoding(job: job, format: format, paletteBits: palette, resized: isChanged)
        let (length, decoding) = try encoding.write(picture)
        let total = ContinuousClock.now
        let size = pages[0].size
        let making = (prepared - start).microseconds + decoding
        return Rendered(
            format: format, width: size.width, height: size.height, pages: pages.count, length: length,
            decoding: making, encoding: max(0, (total - start).microseconds - making))
    }

    /// A palette's own bytes outweigh what it saves of a very small picture.
    private var palette: Int { pages[0].size.width * pages[0].size.height < 256 ? 0 : paletteBits }
}

extension Duration {
    fileprivate var microseconds: Int {
        Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000)
    }
}
