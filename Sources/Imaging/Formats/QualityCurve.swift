// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// The likeness that pictures usually have at each quality of a format: medians of the pictures of
/// `Benchmarks/qualities.py`.
struct QualityCurve: Sendable {
    /// Points of the curve, in ascending order of both numbers.
    private let points: [(quality: Double, likeness: Double)]

    static let jpeg = QualityCurve(points: [
        (20, 0.40), (40, 0.586), (50, 0.641), (60, 0.684), (70, 0.733), (75, 0.759), (80, 0.797), (85, 0.826),
        (90, 0.89), (95, 0.927),
    ])
    static let webp = QualityCurve(points: [
        (20, 0.40), (40, 0.561), (50, 0.612), (60, 0.654), (70, 0.688), (75, 0.711), (80, 0.755), (85, 0.793),
        (90, 0.833), (95, 0.874),
    ])
    static let avif = QualityCurve(points: [
        (20, 0.10), (40, 0.445), (45, 0.535), (50, 0.599), (55, 0.67), (60, 0.722), (65, 0.75), (70, 0.78),
        (75, 0.801), (80, 0.825), (85, 0.861), (90, 0.916), (95, 0.941),
    ])

    static func of(_ format: ImageFormat) -> QualityCurve {
        switch format {
        case .webp: webp
        case .avif: avif
        default: jpeg
        }
    }

    /// The quality that usually gives this likeness: on straight lines between the points, and beyond the last ones.
    func quality(at likeness: Double) -> Double {
        let upper = points.dropFirst().dropLast().firstIndex { $0.likeness >= likeness } ?? points.count - 1
        let (a, b) = (points[upper - 1], points[upper])
        return a.quality + (likeness - a.likeness) * (b.quality - a.quality) / (b.likeness - a.likeness)
    }
}
