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
