// SPDX-License-Identifier: Apache-2.0

/// Numbers with their units, for people at a terminal: about three digits each.
package enum Quantity {
    /// A number of bytes, such as `412 B`, `9.8 KiB`, `120 MiB`.
    package static func bytes(_ count: Double) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var (value, unit) = (count.isFinite ? max(count, 0) : 0, 0)
        while value >= 1000, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return "\(unit == 0 ? whole(value) : digits(value)) \(units[unit])"
    }

    /// As above, for a whole number.
    package static func bytes(_ count: Int) -> String { bytes(Double(count)) }

    /// A number, such as `0`, `7`, `12.5`, `1,204`. It has no decimals if it is whole or at least 100.
    package static func number(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        return value >= 100 || value == value.rounded() ? grouped(whole(value)) : digits(value)
    }

    /// A share from 0 to 1 in percent, such as `97.3 %`.
    package static func percent(_ share: Double) -> String {
        guard share.isFinite else { return "–" }
        return share >= 1 ? "100 %" : "\(digits(share * 100)) %"
    }

    /// A short time, such as `184 µs`, `12.5 ms`, `3.2 s`.
    package static func time(microseconds: Double) -> String {
        guard microseconds.isFinite else { return "–" }
        if microseconds < 1_000 { return "\(whole(microseconds)) µs" }
        if microseconds < 1_000_000 { return "\(digits(microseconds / 1_000)) ms" }
        return "\(digits(microseconds / 1_000_000)) s"
    }

    /// A long time, such as `42 s`, `3 min 5 s`, `7 h 12 min`, `9 d 4 h`.
    package static func span(seconds: Int) -> String {
        let seconds = max(seconds, 0)
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3_600 { return "\(seconds / 60) min \(seconds % 60) s" }
        if seconds < 86_400 { return "\(seconds / 3_600) h \(seconds / 60 % 60) min" }
        return "\(seconds / 86_400) d \(seconds / 3_600 % 24) h"
    }

    /// Digits of a number, with one decimal below 100.
    private static func digits(_ value: Double) -> String {
        let tenths = Int(exactly: (min(max(value, 0), 1e15) * 10).rounded()) ?? 0
        return value >= 100 ? whole(value) : "\(tenths / 10).\(tenths % 10)"
    }

    private static func whole(_ value: Double) -> String {
        "\(Int(exactly: min(max(value, 0), 1e15).rounded(.down)) ?? 0)"
    }

    private static func grouped(_ digits: String) -> String {
        var text = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
