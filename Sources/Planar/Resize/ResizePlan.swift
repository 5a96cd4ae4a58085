// SPDX-License-Identifier: Apache-2.0

/// Which strips every row of the result waits for, and so how many rows of each plane have to be kept.
struct ResizePlan {
    /// Strips that have to be decoded before each row of the result.
    private(set) var stripsNeeded: [Int] = []
    /// Rows of each plane's ring: whole strips.
    private var rows: [Int] = []
    private var filters: [(across: LanczosFilter, down: LanczosFilter)] = []

    init(_ layout: ScanLayout, width: Int, height: Int) throws(GiveUp) {
        for plane in layout.planes {
            guard
                let across = LanczosFilter(
                    extent: plane.extent.width, available: plane.width, target: width, group: 16,
                    finer: plane.finer.width),
                let down = LanczosFilter(
                    extent: plane.extent.height, available: plane.height, target: height, group: 2,
                    finer: plane.finer.height)
            else { throw .otherSize }
            filters.append((across, down))
        }
        let strips = layout.planes.map { $0.vertical * $0.side }
        rows = strips
        for y in 0..<height {
            var needed = stripsNeeded.last ?? 0
            for (plane, strip) in strips.enumerated() {
                let end = min(
                    Int(filters[plane].down.starts[y]) + filters[plane].down.taps, layout.planes[plane].height
                )
                needed = max(needed, (end + strip - 1) / strip)
            }
            stripsNeeded.append(needed)
            for (plane, strip) in strips.enumerated() {
                let kept = needed * strip - Int(filters[plane].down.starts[y])
                rows[plane] = max(rows[plane], (kept + strip - 1) / strip * strip)
            }
        }
    }

    func resizers(_ layout: ScanLayout, width: Int, kernels: Kernels) -> [PlaneResizer] {
        layout.planes.indices.map { index in
            let plane = layout.planes[index]
            let ring = PlaneRing(
                width: layout.unitsAcross * plane.horizontal * plane.side, rows: rows[index])
            return PlaneResizer(plane, filters[index], ring: ring, width: width, kernels: kernels)
        }
    }
}
