// SPDX-License-Identifier: Apache-2.0

extension Duration: SettingValue {
    private static let units: [(name: String, milliseconds: Int)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    package init?(settingText: String) {
        let unit = Self.units.first {
            settingText.hasSuffix($0.name) && !($0.name == "s" && settingText.hasSuffix("ms"))
        }
        guard let unit, let number = Int(settingText.dropLast(unit.name.count)), number >= 0 else {
            return nil
        }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
        // At most ten years: a longer time is a typing mistake, and would overflow later sums.
        guard !overflow, milliseconds <= 3650 * 86_400_000 else { return nil }
        self = .milliseconds(milliseconds)
    }

    package var settingText: String {
        let total = wholeMilliseconds
        guard total > 0, let unit = Self.units.reversed().first(where: { total % $0.milliseconds == 0 })
        else { return "0s" }
        return "\(total / unit.milliseconds)\(unit.name)"
    }

    package static var settingForm: String { "a duration, as 500ms, 10s, 5m, 1h or 30d" }

    /// Milliseconds, rounded down.
    package var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    /// Seconds, rounded up.
    package var wholeSeconds: Int { Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0) }

    /// Microseconds, the pipeline's unit; a multiple of 1,000.
    package var microseconds: Int64 { Int64(wholeMilliseconds) * 1000 }
}
