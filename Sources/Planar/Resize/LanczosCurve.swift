// SPDX-License-Identifier: Apache-2.0

/// The curve of which the weights are samples: Lanczos with three lobes, stretched.
struct LanczosCurve {
    private let stretch: Double
    /// The most weights that are not zero. Those at the very ends are zero.
    let reach: Int
    /// The angle 2θ from one place to the next.
    private let turn: Double
    private let growth: Double

    /// - Parameter stretch: at least 1.
    init(stretch: Double) {
        self.stretch = stretch
        reach = Int((6 * stretch).rounded(.up))
        turn = 2 * Double.pi / (3 * stretch)
        growth = 2 * Self.cosines([turn, 0])[0]
    }

    /// The places whose weights are not zero.
    func places(around centre: Double) -> ClosedRange<Int> {
        let first = Int((centre - 3 * stretch).rounded(.down)) + 1
        // Rounding at the ends must not add a weight.
        let last = min(Int((centre + 3 * stretch).rounded(.up)), first + reach) - 1
        return first...max(first, last)
    }

    @inline(__always)
    func eachWeight(
        at places: ClosedRange<Int>, around centre: Double, _ take: (_ place: Int, _ weight: Double) -> Void
    ) {
        // cos 2θ is continued by cos(a + b) = 2 cos a cos b − cos(a − b).
        var angle = (Double(places.lowerBound) - centre) * turn
        let cosines = Self.cosines([angle, angle + turn])
        var (now, next) = (cosines[0], cosines[1])
        for place in places {
            take(place, Self.lanczos(angle / 2, cosine: now))
            (now, next) = (next, growth * next - now)
            angle += turn
        }
    }

    /// sinc(x) sinc(x / 3) for θ = πx / 3, by sin² θ = (1 − cos 2θ) / 2 and sin 3θ = sin θ (3 − 4 sin² θ).
    private static func lanczos(_ theta: Double, cosine: Double) -> Double {
        guard theta.magnitude > 1e-4 else { return 1 }
        let square = (1 - cosine) / 2
        return square * (3 - 4 * square) / (3 * theta * theta)
    }

    /// The cosines of two angles of up to two turns in either direction: the Taylor series of an eighth of the angle,
    /// doubled three times.
    private static func cosines(_ angles: SIMD2<Double>) -> SIMD2<Double> {
        let square = angles * angles / 64
        var (sum, term) = (SIMD2<Double>(1, 1), SIMD2<Double>(1, 1))
        for index in 1...12 {
            term *= -square / Double((2 * index - 1) * 2 * index)
            sum += term
        }
        for _ in 0..<3 { sum = 2 * sum * sum - 1 }
        return sum
    }
}
