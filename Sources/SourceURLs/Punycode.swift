// SPDX-License-Identifier: Apache-2.0

/// RFC 3492 with IDNA's parameters (§5): Unicode labels as letters, digits and hyphens.
enum Punycode {
    private static let base = 36
    private static let tMin = 1
    private static let tMax = 26
    private static let skew = 38
    private static let damp = 700
    private static let initialBias = 72
    private static let initialN = 128

    /// The encoding of §6.3, without `xn--`. At most 4,096 scalars, so that no sum can overflow.
    static func encode(_ label: [Unicode.Scalar]) -> String {
        let scalars = label.map { Int($0.value) }
        var output = label.filter(\.isASCII).map { UInt8(truncatingIfNeeded: $0.value) }
        let basic = output.count
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var handled = basic
        var (n, delta, bias) = (initialN, 0, initialBias)
        while handled < scalars.count, let next = scalars.filter({ $0 >= n }).min() {
            delta += (next - n) * (handled + 1)
            n = next
            for scalar in scalars {
                if scalar < n { delta += 1 }
                if scalar == n {
                    append(delta, bias: bias, to: &output)
                    bias = adapt(delta, points: handled + 1, first: handled == basic)
                    delta = 0
                    handled += 1
                }
            }
            delta += 1
            n += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends a generalised variable-length integer (§3.3).
    private static func append(_ delta: Int, bias: Int, to output: inout [UInt8]) {
        var rest = delta
        var k = base
        while true {
            let threshold = min(max(k - bias, tMin), tMax)
            if rest < threshold { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            k += base
        }
        output.append(digit(rest))
    }

    /// a…z are 0…25, 0…9 are 26…35.
    private static func digit(_ value: Int) -> UInt8 {
        // Cannot trap: a digit is below 36 (RFC 3492 §5).
        UInt8(value < 26 ? value + 97 : value - 26 + 48)
    }

    /// Bias adaptation (§6.1).
    private static func adapt(_ delta: Int, points: Int, first: Bool) -> Int {
        // Cannot trap: a constant.
        var delta = first ? delta / damp : delta / 2
        // Cannot trap: `points` is at least 1.
        delta += delta / points
        var k = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            k += base
        }
        return k + (base - tMin + 1) * delta / (delta + skew)
    }
}
