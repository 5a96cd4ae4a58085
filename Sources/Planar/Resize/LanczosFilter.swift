// SPDX-License-Identifier: Apache-2.0

internal import CPlanar

/// The weights that resample one axis: Lanczos with three lobes, stretched if the axis becomes shorter. The
/// middle of the old extent stays the middle of the new one.
struct LanczosFilter {
    /// The number of weights for each result.
    let taps: Int
    /// The index of the first sample for each result.
    let starts: [Int32]
    /// `taps` weights for each result, which sum up to 16,384 times the gain.
    private let weights: [Int16]

    /// - Parameters:
    ///   - extent: the axis's length in samples, with a fraction.
    ///   - available: the number of samples. Beyond both ends, the last sample repeats.
    ///   - target: the number of results.
    ///   - origin: the index of the first result among all results of the extent. Slightly before them it still counts
    ///     as the first.
    ///   - spread: the number of results over the whole extent, with a fraction if the last one covers only a part of
    ///     its place: half of 801 pixels are 400.5.
    ///   - group: `taps` is a multiple of this, or of half of it if half is even and wide enough.
    ///   - finer: for chroma of half luma's density, luma's number of samples. Chroma is then resampled as decoders show
    ///     it: doubled first, each sample a mean of its two nearest with weights of 3 and 1.
    ///   - gain: the value that 1 becomes, at most 1.
    /// Nil if more weights would be needed than there is room for.
    init?(
        extent: Double, available: Int, target: Int, from origin: Double = 0, spread: Double? = nil,
        group: Int, finer: Int? = nil, gain: Double = 1
    ) {
        let step = extent * (finer == nil ? 1 : 2) / (spread ?? Double(target))
        let curve = LanczosCurve(stretch: max(1, step))
        let widest = finer == nil ? curve.reach : curve.reach / 2 + 3
        let needed = min(widest, available)
        guard let taps = Self.taps(needed, group: group) else { return nil }
        var starts: [Int32] = []
        var weights: [Int16] = []
        starts.reserveCapacity(target)
        weights.reserveCapacity(target * taps)
        var exact = [Double](repeating: 0, count: taps)
        for index in 0..<target {
            let centre = (origin + Double(index) + 0.5) * step - 0.5
            let places = curve.places(around: centre)
            let from = finer == nil ? places.lowerBound : (places.lowerBound >> 1) - 1
            let start = min(max(from, 0), max(0, available - needed))
            for tap in exact.indices { exact[tap] = 0 }
            curve.eachWeight(at: places, around: centre) { place, weight in
                if let finer {
                    let near = min(max(place, 0), finer - 1)
                    let far = (near >> 1) + (near & 1 == 0 ? -1 : 1)
                    exact[min(near >> 1, available - 1) - start] += weight * 0.75
                    exact[min(max(far, 0), available - 1) - start] += weight * 0.25
                } else {
                    exact[min(max(place, 0), available - 1) - start] += weight
                }
            }
            starts.append(Int32(clamping: start))
            Self.append(exact, sum: Int(16384 * gain), to: &weights)
        }
        // Results are made in whole groups of 4.
        starts += [0, 0, 0]
        weights += [Int16](repeating: 0, count: 3 * taps)
        (self.taps, self.starts, self.weights) = (taps, starts, weights)
    }

    /// The number of needed weights, rounded up to the group; nil if there is no room for so many.
    private static func taps(_ needed: Int, group: Int) -> Int? {
        let half = group / 2
        let unit = half.isMultiple(of: 2) && needed <= half ? half : group
        let taps = (needed + unit - 1) / unit * unit
        return taps <= Int(cplanar_most_taps) ? taps : nil
    }

    /// Rounds the weights. The remainder goes to the largest weight, where it is least visible.
    private static func append(_ exact: [Double], sum whole: Int, to weights: inout [Int16]) {
        let scale = Double(whole) / exact.reduce(0, +)
        var (sum, largest) = (0, weights.count)
        for value in exact {
            let weight = Int16(clamping: Self.rounded(value * scale))
            sum += Int(weight)
            weights.append(weight)
            if weight > weights[largest] { largest = weights.count - 1 }
        }
        weights[largest] = Int16(clamping: Int(weights[largest]) + whole - sum)
    }

    /// Halves go away from zero, as by `rounded()`, which calls a function of the C library for each number.
    @inline(__always)
    private static func rounded(_ value: Double) -> Int {
        let whole = Int(value)
        let rest = value - Double(whole)
        return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
    }

    /// Passes the filter of all results, or from one result on, to C while `work` runs.
    func withFilter<Value>(of result: Int = 0, _ work: (cplanar_filter) -> Value) -> Value {
        weights.withUnsafeBufferPointer { weights in
            starts.withUnsafeBufferPointer { starts in
                let part = weights[(result * taps)...]
                return work(
                    cplanar_filter(
                        weights: UnsafeBufferPointer(rebasing: part).baseAddress, taps: Int32(clamping: taps),
                        starts: starts.baseAddress))
            }
        }
    }
}
