// SPDX-License-Identifier: Apache-2.0

internal import Logging
package import Recipes

/// A type of settings' values, with one spelling in flags, environment and file.
package protocol SettingValue: Sendable, Equatable {
    init?(settingText: String)
    var settingText: String { get }
    /// The values allowed, for help and errors.
    static var settingForm: String { get }
    /// True if a YAML file may write it as a sequence.
    static var isList: Bool { get }
    /// True if a YAML file may write it as a mapping, for items `name=value`.
    static var isMapping: Bool { get }
    /// True if it is never printed, and has no flag.
    static var isSecret: Bool { get }
}

extension SettingValue {
    package static var isList: Bool { false }
    package static var isMapping: Bool { false }
    package static var isSecret: Bool { false }
}

/// One of a few words, in any case of their letters.
extension SettingValue where Self: RawRepresentable<String> & CaseIterable {
    package init?(settingText: String) { self.init(rawValue: settingText.lowercased()) }
    package var settingText: String { rawValue }
    package static var settingForm: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension Bool: SettingValue {
    package init?(settingText: String) {
        switch settingText.lowercased() {
        case "true", "yes", "on", "1": self = true
        case "false", "no", "off", "0": self = false
        default: return nil
        }
    }
    package var settingText: String { self ? "true" : "false" }
    package static var settingForm: String { "true or false" }
}

extension Int: SettingValue {
    package init?(settingText: String) {
        guard let value = Int(settingText.replacing("_", with: "")) else { return nil }
        self = value
    }
    package var settingText: String { String(self) }
    package static var settingForm: String { "a whole number" }
}

extension Double: SettingValue {
    package init?(settingText: String) {
        guard let value = Double(settingText), value.isFinite else { return nil }
        self = value
    }
    package var settingText: String { String(self) }
    package static var settingForm: String { "a number" }
}

extension String: SettingValue {
    package init?(settingText: String) { self = settingText }
    package var settingText: String { self }
    package static var settingForm: String { "text" }
}

extension [String]: SettingValue {
    /// Items are separated by commas; an empty text is an empty list.
    package init?(settingText: String) {
        self = settingText.split(separator: ",").map { $0.trimming(while: \.isWhitespace) }.filter {
            !$0.isEmpty
        }
    }
    package var settingText: String { joined(separator: ", ") }
    package static var settingForm: String { "a list, separated by commas" }
    package static var isList: Bool { true }
}

extension StringProtocol {
    /// The text without unwanted characters at both ends.
    package func trimming(while unwanted: (Character) -> Bool) -> String {
        String(drop(while: unwanted).reversed().drop(while: unwanted).reversed())
    }
}

extension Logger.Level: SettingValue {}

/// A number of bytes, written with a unit: `512KiB`, `64MiB`, `10GiB`, or plain bytes.
package struct ByteCount: SettingValue, Comparable {
    /// Bytes; not negative.
    package var bytes: Int

    /// `bytes` must not be negative.
    package init(_ bytes: Int) { self.bytes = bytes }

    private static let units: [(name: String, size: Int)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    package init?(settingText: String) {
        let unit = Self.units.first { settingText.hasSuffix($0.name) } ?? ("", 1)
        let digits = settingText.dropLast(unit.name.count).trimming(while: \.isWhitespace)
        guard let number = Int(digits), number >= 0 else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit.size)
        // At most an exbibyte: more is a typing mistake, and would overflow later sums.
        guard !overflow, bytes <= 1 << 60 else { return nil }
        self.bytes = bytes
    }

    package var settingText: String {
        guard bytes > 0, let unit = Self.units.first(where: { bytes % $0.size == 0 }) else {
            return "\(bytes)B"
        }
        return "\(bytes / unit.size)\(unit.name)"
    }

    package static var settingForm: String { "bytes, as 512KiB, 64MiB or 10GiB" }

    package static func < (a: ByteCount, b: ByteCount) -> Bool { a.bytes < b.bytes }
}

/// The space of a file system that stays free for others.
package enum MinimumFree: SettingValue {
    case bytes(Int)
    /// Percent of the file system's size.
    case percent(Int)

    package init?(settingText: String) {
        if settingText.hasSuffix("%") {
            guard let percent = Int(settingText.dropLast().trimming(while: \.isWhitespace)),
                (0...90).contains(percent)
            else { return nil }
            self = .percent(percent)
        } else {
            guard let count = ByteCount(settingText: settingText) else { return nil }
            self = .bytes(count.bytes)
        }
    }

    package var settingText: String {
        switch self {
        case .bytes(let bytes): ByteCount(bytes).settingText
        case .percent(let percent): "\(percent)%"
        }
    }

    package static var settingForm: String { "bytes, as 512MiB, or a part of the file system, as 2%" }
}

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
        // At most ten years: more is a typing mistake, and would overflow later sums.
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

    /// Microseconds, as the pipeline counts them; a multiple of 1,000.
    package var microseconds: Int64 { Int64(wholeMilliseconds) * 1000 }
}

extension DamagedPicture: SettingValue {}

/// How strictly the sandbox of worker processes is enforced.
package enum JailMode: String, SettingValue, CaseIterable {
    /// No pictures without all measures; optional ones may be missing.
    case require
    /// Every measure that the kernel permits.
    case prefer
    /// Limits only.
    case off
}

/// The format of log lines.
package enum LogFormat: String, SettingValue, CaseIterable {
    case text, json, logfmt
}
