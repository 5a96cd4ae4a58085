// SPDX-License-Identifier: Apache-2.0
// Saliency estimates the parts of a picture that draw the eye: colours unlike the picture's mean (Achanta et al.,
// "Frequency-tuned Salient Region Detection", CVPR 2009), edges, skin and saturated colours, each 0…1. A window's value
// is the sum of the scores in it. Scores weigh less near the window's borders, where a subject would be cut, and windows
// weigh less away from the picture's middle, where photographers put their subject.

internal import ImageHeaders

/// Finds the most salient window of a small picture.
struct Saliency {
    /// The longest side of that small picture, in pixels: enough for a subject, too few for leaves and
    /// bricks.
    static let longestSide = 64

    /// The score of each pixel, row by row.
    private let score: Plane

    /// - Parameter rgba: rows from the top, four samples a pixel, colours not multiplied by alpha.
    init(rgba: [UInt8], size: PixelSize) {
        let picture = OpaquePicture(rgba, width: size.width)
        let edges = picture.light.edges
        var score = picture.unusual.ofFullScale
        score.add(edges.ofFullScale, times: 1 / 0.6)
        score.add(picture.skin, times: 0.5 / 0.6)
        score.add(picture.saturation, times: 0.5 / 0.6)
        // The median score is taken for that of the background.
        let usual = score.sorted[score.values.count / 2]
        score.values = score.values.map { max($0 - usual, 0) }
        self.score = score
    }

    /// The left top corner of the best window.
    /// - Parameters:
    ///   - window: its sides as shares of the picture's, 0…1. The result has the same unit.
    func corner(of window: (width: Double, height: Double)) -> (x: Double, y: Double) {
        (
            Self.start(of: window.width, in: score.columns),
            Self.start(of: window.height, in: score.transposed.columns)
        )
    }

    /// The start of the best window; the first of several equally good ones.
    private static func start(of share: Double, in columns: [Double]) -> Double {
        let count = columns.count
        let length = min(max(Int((share * Double(count)).rounded()), 1), count)
        var best = (value: -1.0, start: 0)
        for start in 0...count - length {
            let middle = Self.place(start * 2 + length - 1, of: count * 2 - 1)
            var value = 0.0
            for index in 0..<length {
                let place = Self.place(index, of: length)
                value += columns[start + index] * (1 - 0.6 * place * place)
            }
            value *= 1 - 0.35 * middle * middle
            if value > best.value { best = (value, start) }
        }
        return Double(best.start) / Double(count)
    }

    /// The place of an element in a row: −1…1 from the first to the last.
    fileprivate static func place(_ index: Int, of count: Int) -> Double {
        (Double(index) + 0.5) / Double(count) * 2 - 1
    }
}

/// A picture laid on a black or white background, from which its opaque parts stand out.
private struct OpaquePicture {
    private(set) var light: Plane
    private(set) var skin: Plane
    private(set) var saturation: Plane
    /// The distance of each pixel's colour from the mean colour.
    private(set) var unusual: Plane

    init(_ rgba: [UInt8], width: Int) {
        let pixels = stride(from: 0, to: rgba.count, by: 4).map { start -> ([Double], Double) in
            (rgba[start..<start + 3].map { Double($0) / 255 }, Double(rgba[start + 3]) / 255)
        }
        let weight = max(pixels.reduce(0) { $0 + $1.1 }, 1e-6)
        let mean = (0..<3).map { band -> Double in
            pixels.reduce(0.0) { $0 + $1.0[band] * $1.1 } / weight
        }
        let background = Self.light(mean) < 0.5 ? 1.0 : 0
        let seen = pixels.map { colour, alpha -> [Double] in
            colour.map { $0 * alpha + background * (1 - alpha) }
        }
        func plane(_ value: ([Double]) -> Double) -> Plane { Plane(values: seen.map(value), width: width) }

        light = plane(Self.light)
        skin = plane(Self.skin)
        saturation = plane { colour in
            let (most, least) = (colour.max() ?? 0, colour.min() ?? 0)
            return most + least < 1.8 ? most - least : 0
        }
        let blue = plane { $0[2] - Self.light($0) }
        let red = plane { $0[0] - Self.light($0) }
        let usual = (Self.light(mean), mean[2] - Self.light(mean), mean[0] - Self.light(mean))
        unusual = light.blurred.combined(with: blue.blurred, red.blurred) { light, blue, red in
            let (a, b, c): (Double, Double, Double) = (light - usual.0, blue - usual.1, red - usual.2)
            return (a * a + 2 * b * b + 2 * c * c).squareRoot()
        }
        for (index, pixel) in pixels.enumerated() where pixel.1 < 1 {
            unusual.values[index] *= pixel.1
            skin.values[index] *= pixel.1
            saturation.values[index] *= pixel.1
        }
    }

    /// Luma as BT.601 weighs it.
    private static func light(_ colour: [Double]) -> Double {
        0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]
    }

    /// The likeness of a colour's direction to that of skin, 0…1; 0 for colours that are too dark or too
    /// bright.
    private static func skin(_ colour: [Double]) -> Double {
        let length = max(colour.reduce(0) { $0 + $1 * $1 }.squareRoot(), 1e-6)
        let off = zip(colour, [0.78, 0.57, 0.44]).reduce(0) { sum, pair in
            let difference = pair.0 / length - pair.1
            return sum + difference * difference
        }
        guard (0.2..<0.95).contains(light(colour)) else { return 0 }
        return max(0, 1 - off.squareRoot() * 5)
    }
}

/// A table of numbers, row by row.
private struct Plane {
    var values: [Double]
    let width: Int
    private var height: Int { values.count / width }

    /// Beyond the borders, the values at the borders repeat.
    private subscript(_ x: Int, _ y: Int) -> Double {
        values[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)]
    }

    private func map(_ value: (_ x: Int, _ y: Int) -> Double) -> Plane {
        Plane(values: (0..<height).flatMap { y in (0..<width).map { value($0, y) } }, width: width)
    }

    /// Blurred by 1, 2, 1 on both axes.
    var blurred: Plane {
        let across = map { x, y in (self[x - 1, y] + 2 * self[x, y] + self[x + 1, y]) / 4 }
        return across.map { x, y in (across[x, y - 1] + 2 * across[x, y] + across[x, y + 1]) / 4 }
    }

    /// Laplace's operator, then a blur.
    var edges: Plane {
        map { x, y in
            let around = self[x - 1, y] + self[x + 1, y] + self[x, y - 1] + self[x, y + 1]
            return min(abs(4 * self[x, y] - around) * 2, 1)
        }.blurred.blurred
    }

    var sorted: [Double] { values.sorted() }

    /// The values as shares of a full scale, which only a fiftieth of the values exceed.
    var ofFullScale: Plane {
        let most = max(sorted[min(values.count * 49 / 50, values.count - 1)], 1e-3)
        return Plane(values: values.map { min($0 / most, 1) }, width: width)
    }

    mutating func add(_ other: Plane, times factor: Double) {
        for index in values.indices { values[index] += other.values[index] * factor }
    }

    func combined(with other: Plane, _ third: Plane, _ value: (Double, Double, Double) -> Double) -> Plane {
        Plane(
            values: values.indices.map { value(values[$0], other.values[$0], third.values[$0]) }, width: width
        )
    }

    var transposed: Plane {
        Plane(values: (0..<width).flatMap { x in (0..<height).map { self[x, $0] } }, width: height)
    }

    /// The sum of each column, whose middle weighs most.
    var columns: [Double] {
        (0..<width).map { x in
            (0..<height).reduce(0) { sum, y in
                let place = Saliency.place(y, of: height)
                return sum + self[x, y] * (1 - 0.5 * place * place)
            }
        }
    }
}
