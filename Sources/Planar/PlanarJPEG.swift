// SPDX-License-Identifier: Apache-2.0
//
// A JPEG of the usual kind, made smaller without a whole picture of its size in between:
//
//     Huffman codes → coefficients → samples at 1/1, 1/2, 1/4 or 1/8 → rings of rows → Lanczos → rows of RGB
//
// Luma and chroma go through the resize as they are stored, each at its own size, so that chroma need not be made
// larger first. Whatever is not by the book makes this give up (`JPEGLaneRefusal`), for another decoder to begin at the start.

internal import CPlanar

/// A JPEG that is wanted smaller than it is: baseline in one scan, or progressive; 8 bits, Huffman codes; grey, or YCbCr with
/// chroma as large as luma or half as large on an axis.
package struct PlanarJPEG {
    /// Rises when the same file becomes other samples.
    package static let version = 4

    private let file: UnsafeRawBufferPointer
    private let segments: Segments

    /// Reads what stands before the coded data.
    /// - Parameter file: stays where it is for as long as this is used.
    package init(_ file: UnsafeRawBufferPointer) throws(JPEGLaneRefusal) {
        self.file = file
        segments = try Segments(Span(_unsafeBytes: file))
    }

    /// Pixels, as stored.
    package var width: Int { segments.width }
    package var height: Int { segments.height }

    /// Samples of a pixel: 1 of grey or 3 of RGB.
    package var bands: Int { segments.components.count }

    /// Whether the coefficients are told of in several scans.
    package var isProgressive: Bool { !segments.parts.isEmpty }

    /// The embedded ICC profile.
    package var profile: [UInt8]? {
        guard !segments.profileParts.isEmpty else { return nil }
        return segments.profileParts.flatMap { file[$0] }
    }

    /// All its coefficients are there, and the end of the image behind them. Takes the time to read them.
    package var isWhole: Bool {
        do throws(JPEGLaneRefusal) {
            // At a quarter of the size no scan is left out.
            try resize(shrink: 4, width: max(1, width / 4), height: max(1, height / 4)) { _ in }
            return true
        } catch {
            return false
        }
    }

    /// Makes the picture in another size.
    /// - Parameters:
    ///   - shrink: at which part of the size the blocks are decoded: 1, 2, 4 or 8.
    ///   - width: pixels, no more than are stored.
    ///   - height: as `width`.
    ///   - take: is given the rows from the top, `width` × `bands` bytes each.
    package func resize(
        shrink: Int, width: Int, height: Int, _ take: (UnsafeRawBufferPointer) -> Void
    ) throws(JPEGLaneRefusal) {
        try resize(shrink: shrink, width: width, height: height, by: .best, take)
    }

    func resize(
        shrink: Int, width: Int, height: Int, by kernels: Kernels, _ take: (UnsafeRawBufferPointer) -> Void
    ) throws(JPEGLaneRefusal) {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: width * 3 + 32)
        defer { bytes.deallocate() }
        let start = bytes.baseAddress.unsafelyUnwrapped
        let window = PlaneWindow(width: width, height: height)
        try eachRow(
            shrink: shrink, width: width, height: height, window: window, form: .forColours, by: kernels
        ) { (y, resizers) in
            kernels.colours(resizers.map { $0.row(y) }, to: start, width: width)
            take(UnsafeRawBufferPointer(start: start, count: width * bands))
            return true
        }
    }

    /// Makes the planes in another size: luma, and where there are three, Cb and Cr.
    /// - Parameters:
    ///   - shrink: as above; so are `width` and `height`, of luma.
    ///   - window: what is made of them, in pixels of luma. Where chroma is halved it has half of them, rounded up.
    ///   - take: is given a plane's number and its next row, from the top: those of chroma behind the first of luma's that
    ///     they belong to. Returns false to end the work.
    package func resizePlanes(
        shrink: Int, width: Int, height: Int, window: PlaneWindow, form: PlaneForm,
        _ take: (Int, UnsafeRawBufferPointer) -> Bool
    ) throws(JPEGLaneRefusal) {
        try resizePlanes(
            shrink: shrink, width: width, height: height, window: window, form: form, by: .best, take)
    }

    func resizePlanes(
        shrink: Int, width: Int, height: Int, window: PlaneWindow? = nil, form: PlaneForm,
        by kernels: Kernels, _ take: (Int, UnsafeRawBufferPointer) -> Bool
    ) throws(JPEGLaneRefusal) {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: width + 32)
        defer { bytes.deallocate() }
        let start = bytes.baseAddress.unsafelyUnwrapped
        let window = window ?? PlaneWindow(width: width, height: height)
        try eachRow(shrink: shrink, width: width, height: height, window: window, form: form, by: kernels) {
            (y, resizers) in
            for (index, resizer) in resizers.enumerated() where y % resizer.target.density == 0 {
                PortableFilters.bytes(
                    resizer.row(y / resizer.target.density), resizer.target.range, to: start,
                    width: resizer.target.width)
                guard take(index, UnsafeRawBufferPointer(start: start, count: resizer.target.width)) else {
                    return false
                }
            }
            return true
        }
    }

    /// Decodes strip by strip, and says for each row of luma that its samples, and those of chroma beside it, are there.
    private func eachRow(
        shrink: Int, width: Int, height: Int, window: PlaneWindow, form: PlaneForm, by kernels: Kernels,
        _ make: (Int, [PlaneResizer]) -> Bool
    ) throws(JPEGLaneRefusal) {
        guard (1...self.width).contains(width), (1...self.height).contains(height),
            window.fits(width: width, height: height)
        else { throw .otherSize }
        let layout = try ScanLayout(
            segments, shrink: shrink,
            chromaShrink: form.halvesChroma ? shrink : chromaShrink(shrink, width: width, height: height),
            fineChromaShrink: form.halvesChroma ? fineChromaShrink(shrink, width: width, height: height) : nil
        )
        let plan = try ResizePlan(layout, width: width, height: height, window: window, form: form)
        let resizers = plan.resizers(layout, kernels: kernels)
        let rings = resizers.map(\.ring)
        if isProgressive {
            var decoder = ProgressiveDecoder(file, layout, rings: rings, kernels: kernels)
            try Self.eachRow(of: &decoder, layout, plan, resizers, make)
        } else {
            var decoder = ScanDecoder(file, layout, rings: rings, kernels: kernels)
            try Self.eachRow(of: &decoder, layout, plan, resizers, make)
        }
    }

    private static func eachRow<Decoder: StripDecoder & ~Copyable>(
        of decoder: inout Decoder, _ layout: ScanLayout, _ plan: ResizePlan, _ resizers: [PlaneResizer],
        _ make: (Int, [PlaneResizer]) -> Bool
    ) throws(JPEGLaneRefusal) {
        var decoded = 0
        for y in plan.stripsNeeded.indices {
            while decoded < plan.stripsNeeded[y] {
                try decoder.decodeStrip()
                decoded += 1
            }
            guard make(y, resizers) else { return }
        }
        // The picture is whole where its end is.
        while decoded < layout.unitsDown {
            try decoder.decodeStrip()
            decoded += 1
        }
    }

    /// At which part of its size chroma of half luma's density is decoded. Small transforms are averages, which alias
    /// where they leave less than twice the size to the resize; then it is made as large as luma.
    private func chromaShrink(_ shrink: Int, width: Int, height: Int) -> Int {
        let leaves = min(self.width / width, self.height / height)
        return leaves < 4 * shrink ? max(1, shrink / 2) : shrink
    }

    /// The same for chroma of luma's density of which half is wanted. A half is a good low pass.
    private func fineChromaShrink(_ shrink: Int, width: Int, height: Int) -> Int {
        let leaves = min(self.width / width, self.height / height)
        return shrink == 1 || leaves >= 2 * shrink ? min(8, 2 * shrink) : shrink
    }
}
