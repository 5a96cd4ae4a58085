// SPDX-License-Identifier: Apache-2.0

/// For every row of the result, the strips that must be decoded before, and from that the number of rows that each
/// plane's ring must hold.
struct ResizePlan {
    /// A plane of the result.
    struct Target {
        let width: Int
        let height: Int
        /// Pixels of the result that one sample stands for on either axis: 1 or 2.
        let density: Int
        /// The place of the first sample, in samples of the whole picture.
        let start: (x: Double, y: Double)
        let range: SampleRange

        init(_ window: PlaneWindow, density: Int, range: SampleRange) {
            width = (window.width + density - 1) / density
            height = (window.height + density - 1) / density
            self.density = density
            // If pairs are counted from the far side, the first pair may have its first pixel outside the
            // window.
            let left = window.isReversed ? window.width % density : 0
            let top = window.isUpsideDown ? window.height % density : 0
            start = (
                Double(window.x - left) / Double(density), Double(window.y - top) / Double(density)
            )
            self.range = range
        }
    }

    /// The number of strips that must be decoded before each row of the result.
    private(set) var stripsNeeded: [Int] = []
    let targets: [Target]
    /// Rows of each plane's ring: whole strips.
    private var rows: [Int] = []
    private var filters: [(across: LanczosFilter, down: LanczosFilter)] = []

    init(_ layout: ScanLayout, _ request: ResizeRequest) throws(JPEGLaneRefusal) {
        let (window, form) = (request.window, request.form)
        targets = layout.planes.indices.map {
            Target(
                window, density: $0 > 0 && form.halvesChroma ? 2 : 1,
                range: form.isLimited ? $0 == 0 ? .limitedLuma : .limitedChroma : .full)
        }
        for (index, (plane, target)) in zip(layout.planes, targets).enumerated() {
            // The last two planes are chroma, and have one size.
            if index == 2 {
                filters.append(filters[1])
                continue
            }
            let (density, isWhole) = (Double(target.density), target.density == 1)
            guard
                let across = LanczosFilter(
                    extent: plane.extent.width, available: plane.width, target: target.width,
                    from: target.start.x, spread: Double(request.width) / density, group: 16,
                    finer: isWhole ? plane.finer.width : nil,
                    gain: target.range.gain),
                let down = LanczosFilter(
                    extent: plane.extent.height, available: plane.height, target: target.height,
                    from: target.start.y, spread: Double(request.height) / density, group: 2,
                    finer: isWhole ? plane.finer.height : nil)
            else { throw .otherSize }
            filters.append((across, down))
        }
        let strips = layout.planes.map { $0.vertical * $0.side }
        rows = strips
        for y in 0..<window.height {
            // Planes of half the density have a row only for every other row of luma.
            let made = targets.indices.filter { y % targets[$0].density == 0 }
            var needed = stripsNeeded.last ?? 0
            for plane in made {
                let (down, strip) = (filters[plane].down, strips[plane])
                let end = min(
                    Int(down.starts[y / targets[plane].density]) + down.taps, layout.planes[plane].height)
                needed = max(needed, (end + strip - 1) / strip)
            }
            stripsNeeded.append(needed)
            for plane in made {
                let kept =
                    needed * strips[plane] - Int(filters[plane].down.starts[y / targets[plane].density])
                rows[plane] = max(rows[plane], (kept + strips[plane] - 1) / strips[plane] * strips[plane])
            }
        }
    }

    func resizers(_ layout: ScanLayout, kernels: Kernels) -> [PlaneResizer] {
        layout.planes.indices.map { index in
            let plane = layout.planes[index]
            let ring = PlaneRing(
                width: layout.unitsAcross * plane.horizontal * plane.side, rows: rows[index])
            return PlaneResizer(
                plane, filters[index], ring: ring, target: targets[index], kernels: kernels)
        }
    }
}
