// SPDX-License-Identifier: Apache-2.0

internal import Logging
package import Recipes

/// A type of a setting's value, with the same spelling in flags, environment and file.
package protocol SettingValue: Sendable, Equatable {
    init?(settingText: String)
    var settingText: String { get }
    /// The allowed values, for help and errors.
    static var settingForm: String { get }
    /// True if a YAML file may write it as a sequence.
    static var isList: Bool { get }
    /// True if a YAML file may write it as a mapping, for items `name=value`.
    static var isMapping: Bool { get }
    /// True if the value is never printed and has no flag.
    static var isSecret: Bool { get }
}

extension SettingValue {
    package static var isList: Bool { false }
    package static var isMapping: Bool { false }
    package static var isSecret: Bool { false }
}

/// One of a few words, in upper or lower case.
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
    /// Pictures are processed only if all required measures are available; optional ones may be missing.
    case require
    /// Every measure that the kernel permits is used.
    case prefer
    /// Only limits on resources are set.
    case off
}

/// The format of log lines.
package enum LogFormat: String, SettingValue, CaseIterable {
    case text, json, logfmt
}
