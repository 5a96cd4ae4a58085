// SPDX-License-Identifier: Apache-2.0
//
// Decodes and reduces a usual JPEG in one pass, without holding the full-size picture in between:
//
//     Huffman codes → coefficients → samples at 1/1, 1/2, 1/4 or 1/8 → rings of rows → Lanczos → rows of RGB
//
// Luma and chroma are resized as they are stored, each from its own size, so that chroma need not be enlarged first. Any
// irregularity makes this decoder give up (`JPEGLaneRefusal`), and another decoder begins from the start.

internal import CPlanar

/// A JPEG that is to become smaller: baseline in one scan, or progressive; 8 bits, Huffman codes; grey, or YCbCr whose chroma
/// is as large as luma or half as large on an axis.
package struct PlanarJPEG {
    /// Incremented when the same file gives other samples.
    package static let version = 4

    private let file: UnsafeRawBufferPointer
    private let segments: Segments

    /// Reads the segments before the coded data.
    /// - Parameter file: must stay in memory as long as this value is used.
    package init(_ file: UnsafeRawBufferPointer) throws(JPEGLaneRefusal) {
        self.file = file
        segments = try Segments(Span(_unsafeBytes: file))
    }

    /// In pixels, as stored.
    package var width: Int { segments.width }
    package var height: Int { segments.height }

    /// Samples a pixel: 1 for grey or 3 for RGB.
    package var bands: Int { segments.components.count }

    /// Whether the frame is progressive, with several scans.
    package var isProgressive: Bool { !segments.parts.isEmpty }

    /// The embedded ICC profile.
    package var profile: [UInt8]? {
        guard !segments.profileParts.isEmpty else { return nil }
        return segments.profileParts.flatMap { file[$0] }
    }

    /// Whether all coefficients are there, and the end of the image behind them. Takes the time to decode
    /// them.
    package var isWhole: Bool {
        do throws(JPEGLaneRefusal) {
            // At a quarter of the size, no scan is skipped.
            try resize(shrink: 4, width: max(1, width / 4), height: max(1, height / 4)) { _ in }
            return true
        } catch {
            return false
        }
    }

    /// Decodes the picture in another size.
    /// - Parameters:
    ///   - shrink: the fraction of the size at which blocks are decoded: 1, 2, 4 or 8 for 1/1 to 1/8.
    ///   - width: in pixels, no more than are stored.
    ///   - height: as `width`.
    ///   - take: receives the rows from the top, `width` × `bands` bytes each.
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
        let request = ResizeRequest(
            shrink: shrink, width: width, height: height, window: PlaneWindow(width: width, height: height),
            form: .forColours)
        try eachRow(request, by: kernels) { (y, resizers) in
            kernels.colours(resizers.map { $0.row(y) }, to: start, width: width)
            take(UnsafeRawBufferPointer(start: start, count: width * bands))
            return true
        }
    }

    /// Decodes the planes in another size: luma, and Cb and Cr if there are three.
    /// - Parameters:
    ///   - shrink: as in `resize`; so are `width` and `height`, which are luma's.
    ///   - window: the part that is made, in pixels of luma. Halved chroma has half the pixels, rounded up.
    ///   - take: receives a plane's number and its next row, from the top. A row of chroma follows the first row of luma
    ///     that it belongs to. Returning false ends the work.
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
        let request = ResizeRequest(
            shrink: shrink, width: width, height: height,
            window: window ?? PlaneWindow(width: width, height: height), form: form)
        try eachRow(request, by: kernels) { (y, resizers) in
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

    /// Decodes strip by strip, and calls `make` for each row of luma once its samples, and those of chroma beside it,
    /// are decoded.
    private func eachRow(
        _ request: ResizeRequest, by kernels: Kernels, _ make: (Int, [PlaneResizer]) -> Bool
    ) throws(JPEGLaneRefusal) {
        let size = (width: request.width, height: request.height)
        guard (1...width).contains(size.width), (1...height).contains(size.height),
            request.window.fits(width: size.width, height: size.height)
        else { throw .otherSize }
        let layout = try ScanLayout(
            segments, shrink: request.shrink,
            chromaShrink: request.form.halvesChroma ? request.shrink : chromaShrink(request),
            fineChromaShrink: request.form.halvesChroma ? fineChromaShrink(request) : nil)
        let plan = try ResizePlan(layout, request)
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
        // The rest is decoded too, because only its end shows that the picture is whole.
        while decoded < layout.unitsDown {
            try decoder.decodeStrip()
            decoded += 1
        }
    }

    /// The fraction at which halved chroma is decoded. Small transforms are averages, which alias if they leave less
    /// than twice the target size to the resize; chroma is then decoded as large as luma.
    private func chromaShrink(_ request: ResizeRequest) -> Int {
        reduction(request) < 4 * request.shrink ? max(1, request.shrink / 2) : request.shrink
    }

    /// The fraction at which chroma of luma's density is decoded if half of it is wanted. A reduction by half
    /// is a good low-pass filter.
    private func fineChromaShrink(_ request: ResizeRequest) -> Int {
        let shrink = request.shrink
        return shrink == 1 || reduction(request) >= 2 * shrink ? min(8, 2 * shrink) : shrink
    }

    /// How many times smaller the result is, on the axis where it is least.
    private func reduction(_ request: ResizeRequest) -> Int {
        min(width / request.width, height / request.height)
    }
}
