// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// The likeness that photographs usually have at each quality of a format: medians that
/// `Benchmarks/qualities.py --curves` measures.
struct QualityCurve: Sendable {
    private typealias Point = (quality: Double, likeness: Double)

    /// Points of the curve, in ascending order of both numbers.
    private let points: [Point]
    /// From this quality on, halving the chroma is doubtful for pictures that usually reach the likeness well below it. Nil
    /// if the format always halves the chroma.
    let mostForHalfChroma: Int?

    private init(mostForHalfChroma: Int? = nil, points: [Point]) {
        (self.mostForHalfChroma, self.points) = (mostForHalfChroma, points)
    }

    static let jpeg = QualityCurve(
        mostForHalfChroma: 86,
        points: [
            (20, 0.395), (30, 0.539), (40, 0.611), (50, 0.657), (60, 0.694), (65, 0.719), (70, 0.754),
            (75, 0.785),
            (80, 0.814), (85, 0.846), (89, 0.872), (90, 0.886), (95, 0.922),
        ])
    static let webp = QualityCurve(points: [
        (20, 0.48), (30, 0.538), (40, 0.581), (50, 0.63), (60, 0.67), (70, 0.697), (75, 0.722), (80, 0.755),
        (85, 0.791), (90, 0.831), (95, 0.866),
    ])
    static let avif = QualityCurve(
        mostForHalfChroma: 80,
        points: [
            (20, 0.20), (30, 0.36), (40, 0.467), (45, 0.541), (50, 0.613), (55, 0.683), (60, 0.725),
            (65, 0.758),
            (70, 0.785), (75, 0.805), (80, 0.824), (85, 0.85), (90, 0.904), (95, 0.933),
        ])

    static func of(_ format: ImageFormat) -> QualityCurve {
        switch format {
        case .webp: webp
        case .avif: avif
        default: jpeg
        }
    }

    /// The quality that usually gives this likeness, by linear interpolation between the points; the first and the
    /// last line are extended.
    func quality(at likeness: Double) -> Double {
        let (a, b) = line { $0.likeness >= likeness }
        return a.quality + (likeness - a.likeness) * (b.quality - a.quality) / (b.likeness - a.likeness)
    }

    /// The likeness that this quality usually gives, by the same interpolation.
    func likeness(at quality: Double) -> Double {
        let (a, b) = line { $0.quality >= quality }
        return a.likeness + (quality - a.quality) * (b.likeness - a.likeness) / (b.quality - a.quality)
    }

    /// The two neighbouring points between which `isBeyond` becomes true.
    private func line(_ isBeyond: (Point) -> Bool) -> (Point, Point) {
        let upper = points.dropFirst().dropLast().firstIndex(where: isBeyond) ?? points.count - 1
        return (points[upper - 1], points[upper])
    }
}
