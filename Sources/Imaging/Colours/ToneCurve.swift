// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Converts a profile's samples to linear light, both 0…1 (ICC.1:2022 §10.6, curveType, and §10.18,
/// parametricCurveType).
enum ToneCurve {
    case gamma(Double)
    case table([Double])
    /// x ≥ d: (a·x + b)^g + e, else c·x + f; in the order g, a, b, c, d, e, f.
    case parametric([Double])

    static let sRGB = ToneCurve.parametric([2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045, 0, 0])

    /// The sRGB sample, 0…1, of this linear light.
    static func encodedSRGB(_ light: Double) -> Double {
        light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    /// The sRGB sample as a byte for linear light of 0…16,384, which stands for 0…1.
    static let numbersOfSRGB: [UInt8] = (0...16_384).map { index in
        UInt8(clamping: Int((encodedSRGB(Double(index) / 16_384) * 255).rounded()))
    }

    /// lcms refuses a longer table as damaged (`Type_Curve_Read`).
    private static let mostEntries = 0x7FFF

    init?(_ file: TagTable, at offset: Int) {
        switch file.letters(offset) {
        case "curv":
            guard let count = file.uint32(offset + 8).map(Int.init), count <= Self.mostEntries
            else { return nil }
            if count == 0 {
                self = .gamma(1)
                return
            }
            var entries: [Double] = []
            for index in 0..<count {
                guard let entry = file.uint16(offset + 12 + 2 * index) else { return nil }
                entries.append(Double(entry))
            }
            self = count == 1 ? .gamma(entries[0] / 256) : .table(entries.map { $0 / 65535 })
        case "para":
            guard let kind = file.uint16(offset + 8), kind <= 4 else { return nil }
            var numbers: [Double] = []
            for index in 0..<[1, 3, 4, 5, 7][Int(kind)] {
                guard let number = file.fixed(offset + 12 + 4 * index) else { return nil }
                numbers.append(number)
            }
            self.init(kind: Int(kind), numbers)
        default: return nil
        }
    }

    /// Function types 0…4 of parametricCurveType; 1 to 3 become the general form, type 4.
    private init(kind: Int, _ n: [Double]) {
        switch kind {
        case 0: self = .gamma(n[0])
        case 1: self = .parametric([n[0], n[1], n[2], 0, -n[2] / n[1], 0, 0])
        case 2: self = .parametric([n[0], n[1], n[2], 0, -n[2] / n[1], n[3], n[3]])
        case 3: self = .parametric([n[0], n[1], n[2], n[3], n[4], 0, 0])
        default: self = .parametric(n)
        }
    }

    func value(_ x: Double) -> Double {
        switch self {
        case .gamma(let gamma): return pow(x, gamma)
        case .table(let entries):
            let position = x * Double(entries.count - 1)
            let low = min(Int(position), entries.count - 2)
            return entries[low] + (entries[low + 1] - entries[low]) * (position - Double(low))
        case .parametric(let n):
            return x >= n[4] ? pow(n[1] * x + n[2], n[0]) + n[5] : n[3] * x + n[6]
        }
    }
}
