// SPDX-License-Identifier: Apache-2.0
//
// What a resize is held against.

internal import Glibc

/// Lanczos-3 in double precision; centres are kept, edges repeated.
package func exact(_ canvas: Canvas, _ width: Int, _ height: Int) -> [Double] {
    func weights(_ from: Int, _ to: Int) -> [[(Int, Double)]] {
        func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
        let step = Double(from) / Double(to)
        return (0..<to).map { index in
            let centre = (Double(index) + 0.5) * step - 0.5
            let taps = (Int(centre - 3 * step) - 1...Int(centre + 3 * step) + 1).map { place in
                let x = (Double(place) - centre) / step
                return (min(max(place, 0), from - 1), abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0)
            }
            let sum = taps.map(\.1).reduce(0, +)
            return taps.map { ($0.0, $0.1 / sum) }
        }
    }
    let (across, down, bands) = (
        weights(canvas.width, width), weights(canvas.height, height), canvas.bands
    )
    let samples = canvas.samples
    var between = [Double](repeating: 0, count: width * canvas.height * bands)
    for y in 0..<canvas.height {
        for x in 0..<width {
            let to = (y * width + x) * bands
            for (place, weight) in across[x] {
                let from = (y * canvas.width + place) * bands
                for band in 0..<bands { between[to + band] += Double(samples[from + band]) * weight }
            }
        }
    }
    var result = [Double](repeating: 0, count: width * height * bands)
    for y in 0..<height {
        let to = y * width * bands
        for (place, weight) in down[y] {
            let from = place * width * bands
            for index in 0..<width * bands { result[to + index] += between[from + index] * weight }
        }
    }
    return result.map { min(max($0, 0), 255) }
}

package func psnr(_ canvas: Canvas, _ exact: [Double]) -> Double {
    let sum = zip(canvas.samples, exact).reduce(0) { $0 + (Double($1.0) - $1.1) * (Double($1.0) - $1.1) }
    return 10 * log10(255 * 255 / max(sum / Double(exact.count), 1e-6))
}
