// SPDX-License-Identifier: Apache-2.0
//
// ThumbHash, a placeholder of some 25 bytes for a picture (evanw.github.io/thumbhash). It holds luminance, two colour
// differences and alpha, each as a few terms of a cosine transform, four bits a term:
//
//     24 bits  6 luminance, 6 yellow − blue, 6 red − green (their means), 5 scale of luminance, 1 has alpha
//     16 bits  3 terms of the shorter side, 6 + 6 scales of the differences, 1 landscape
//      8 bits  4 mean of alpha, 4 its scale; only with alpha
//     then the terms, two in a byte, the low half first

internal import Glibc

enum ThumbHash {
    /// The longest side in pixels that the format's author allows; more pixels would not change the hash.
    static let longestSide = 100

    /// - Parameter rgba: rows from the top, four samples a pixel, colours not multiplied by alpha.
    static func make(width: Int, height: Int, rgba: [UInt8]) -> [UInt8] {
        let planes = Planes(rgba)
        let longest = max(width, height)
        let limit = planes.hasAlpha ? 5 : 7
        let across = max(1, rounded(Double(limit * width) / Double(longest)))
        let down = max(1, rounded(Double(limit * height) / Double(longest)))
        let size = (width: width, height: height)
        let light = Channel(planes.light, size, terms: (max(3, across), max(3, down)))
        let yellow = Channel(planes.yellow, size, terms: (3, 3))
        let red = Channel(planes.red, size, terms: (3, 3))

        let isLandscape = width > height
        var head = rounded(63 * light.mean) | rounded(31.5 + 31.5 * yellow.mean) << 6
        head |= rounded(31.5 + 31.5 * red.mean) << 12 | rounded(31 * light.scale) << 18
        head |= planes.hasAlpha ? 1 << 23 : 0
        var tail = (isLandscape ? down : across) | rounded(63 * yellow.scale) << 3
        tail |= rounded(63 * red.scale) << 9 | (isLandscape ? 1 << 15 : 0)
        var hash = [head, head >> 8, head >> 16, tail, tail >> 8].map { UInt8(truncatingIfNeeded: $0) }
        var terms = light.terms + yellow.terms + red.terms
        if planes.hasAlpha {
            let alpha = Channel(planes.alpha, size, terms: (5, 5))
            hash.append(UInt8(rounded(15 * alpha.mean) | rounded(15 * alpha.scale) << 4))
            terms += alpha.terms
        }
        return hash + packed(terms)
    }

    private static func packed(_ terms: [Double]) -> [UInt8] {
        stride(from: 0, to: terms.count, by: 2).map { index in
            let low = rounded(15 * terms[index])
            let high = index + 1 < terms.count ? rounded(15 * terms[index + 1]) : 0
            return UInt8(low | high << 4)
        }
    }

    /// Rounds halves up.
    private static func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }
}

/// A picture laid on its own average colour, each sample 0…1.
private struct Planes {
    var light: [Double] = []
    /// Yellow minus blue.
    var yellow: [Double] = []
    /// Red minus green.
    var red: [Double] = []
    var alpha: [Double] = []
    var hasAlpha = false

    init(_ rgba: [UInt8]) {
        var (sums, weight) = ([0.0, 0, 0], 0.0)
        for start in stride(from: 0, to: rgba.count, by: 4) {
            let alpha = Double(rgba[start + 3]) / 255
            for band in 0..<3 { sums[band] += alpha / 255 * Double(rgba[start + band]) }
            weight += alpha
        }
        let average = weight > 0 ? sums.map { $0 / weight } : sums
        hasAlpha = weight < Double(rgba.count / 4)
        for start in stride(from: 0, to: rgba.count, by: 4) {
            let alpha = Double(rgba[start + 3]) / 255
            func on(_ band: Int) -> Double {
                average[band] * (1 - alpha) + alpha / 255 * Double(rgba[start + band])
            }
            let (r, g, b) = (on(0), on(1), on(2))
            light.append((r + g + b) / 3)
            yellow.append((r + g) / 2 - b)
            red.append(r - g)
            self.alpha.append(alpha)
        }
    }
}

/// The low frequencies of a plane: those with u / across + v / down < 1.
private struct Channel {
    var mean = 0.0
    /// The largest absolute value of the terms. Each term is stored as a share of it: 0 for −scale, 1 for
    /// +scale.
    var scale = 0.0
    var terms: [Double] = []

    init(_ plane: [Double], _ size: (width: Int, height: Int), terms count: (across: Int, down: Int)) {
        for v in 0..<count.down {
            let down = Self.wave(v, size.height)
            var u = 0
            while u * count.down < count.across * (count.down - v) {
                let term = Self.term(plane, Self.wave(u, size.width), down)
                if u > 0 || v > 0 {
                    terms.append(term)
                    scale = max(scale, abs(term))
                } else {
                    mean = term
                }
                u += 1
            }
        }
        if scale > 0 { terms = terms.map { [scale] in 0.5 + 0.5 / scale * $0 } }
    }

    private static func wave(_ frequency: Int, _ length: Int) -> [Double] {
        (0..<length).map { cos(Double.pi / Double(length) * Double(frequency) * (Double($0) + 0.5)) }
    }

    private static func term(_ plane: [Double], _ across: [Double], _ down: [Double]) -> Double {
        var sum = 0.0
        for y in down.indices {
            for x in across.indices { sum += plane[x + y * across.count] * across[x] * down[y] }
        }
        return sum / Double(across.count * down.count)
    }
}
