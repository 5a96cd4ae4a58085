// SPDX-License-Identifier: Apache-2.0
//
// BlurHash (blurha.sh), a stand-in of 28 characters for a picture: a few terms of a cosine transform of its light, four
// across and three down, each character a digit of base 83:
//
//     1  (terms across − 1) + 9 × (terms down − 1)
//     1  scale of all terms but the first
//     4  the first term, the mean, as 8 bits each of red, green and blue
//     2  each other term, 19 steps each for red, green and blue

internal import Glibc

enum BlurHash {
    private static let (across, down) = (4, 3)

    /// - Parameter rgba: rows from the top, four samples a pixel, colours not multiplied by alpha. Transparent pixels
    ///   are laid on white.
    static func make(width: Int, height: Int, rgba: [UInt8]) -> String {
        let light = Self.light(rgba)
        var terms: [[Double]] = []
        for v in 0..<down {
            let rows = wave(v, height)
            for u in 0..<across { terms.append(term(light, wave(u, width), rows, isMean: u + v == 0)) }
        }
        let others = terms.dropFirst()
        let largest = others.joined().map(abs).max() ?? 0
        let step = min(max(Int((largest * 166 - 0.5).rounded(.down)), 0), 82)
        let scale = Double(step + 1) / 166
        let mean = terms[0].map(number)
        var text = digits(across - 1 + (down - 1) * 9, 1) + digits(step, 1)
        text += digits(mean[0] << 16 | mean[1] << 8 | mean[2], 4)
        for term in others {
            let steps = term.map { part($0 / scale) }
            text += digits((steps[0] * 19 + steps[1]) * 19 + steps[2], 2)
        }
        return text
    }

    /// Linear light of 0…1; red, green and blue in turn for each pixel.
    private static func light(_ rgba: [UInt8]) -> [Double] {
        let curve = (0..<256).map { ToneCurve.sRGB.value(Double($0) / 255) }
        var light: [Double] = []
        light.reserveCapacity(rgba.count / 4 * 3)
        for start in stride(from: 0, to: rgba.count, by: 4) {
            let alpha = Int(rgba[start + 3])
            for band in 0..<3 {
                light.append(curve[(Int(rgba[start + band]) * alpha + 255 * (255 - alpha) + 127) / 255])
            }
        }
        return light
    }

    /// BlurHash defines its cosine waves to begin at the first pixel, and not half a pixel before it.
    private static func wave(_ frequency: Int, _ length: Int) -> [Double] {
        (0..<length).map { cos(Double.pi * Double(frequency * $0) / Double(length)) }
    }

    private static func term(
        _ light: [Double], _ across: [Double], _ down: [Double], isMean: Bool
    ) -> [Double] {
        var sums = [0.0, 0, 0]
        for y in down.indices {
            for x in across.indices {
                let (wave, start) = (across[x] * down[y], (y * across.count + x) * 3)
                for band in 0..<3 { sums[band] += wave * light[start + band] }
            }
        }
        return sums.map { $0 * (isMean ? 1 : 2) / Double(across.count * down.count) }
    }

    private static func number(_ light: Double) -> Int {
        Int((ToneCurve.encodedSRGB(min(max(light, 0), 1)) * 255 + 0.5).rounded(.down))
    }

    /// The root of a term as a share of the scale, in 19 steps.
    private static func part(_ value: Double) -> Int {
        let root = value < 0 ? -(-value).squareRoot() : value.squareRoot()
        return min(max(Int((root * 9 + 9.5).rounded(.down)), 0), 18)
    }

    private static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")

    private static func digits(_ number: Int, _ count: Int) -> String {
        var (rest, text) = (number, [Character]())
        for _ in 0..<count {
            text.append(alphabet[rest % alphabet.count])
            rest /= alphabet.count
        }
        return String(text.reversed())
    }
}
