// SPDX-License-Identifier: Apache-2.0

/// One setting, declared in one place. Flags, environment, file, `--help`, `config/pictor.yaml` and docs/reference/settings.md
/// are derived from it.
package struct Setting: Sendable {
    /// Group and name: `cache.memory` is the flag `--cache-memory`, the variable `PICTOR_CACHE_MEMORY`, and
    /// `memory` under `cache` in the file.
    package let key: String
    /// Whether a reload applies a new value and, if not, why.
    package let life: SettingLife
    /// The values allowed, for people.
    package let form: String
    /// The setting's meaning and the reasoning behind its default, for people.
    package let help: String
    let read: @Sendable (String, inout Settings) -> Bool
    let write: @Sendable (Settings) -> String
    /// True if the value differs from the default. For a secret, this tells whether it is set without showing it.
    let isSet: @Sendable (Settings) -> Bool
    /// Copies the value from the first settings to the second.
    let copy: @Sendable (Settings, inout Settings) -> Void
    /// True if the setting has different values in the two.
    let differs: @Sendable (Settings, Settings) -> Bool
    let isList: Bool
    let isMapping: Bool
    /// True if the value must not be printed.
    let isSecret: Bool
    /// True if a value restricts something and an empty value lifts the restriction, such as a list of permitted hosts or the
    /// keys of signed URLs. An empty variable or flag is then refused, because a template may have left out the value.
    let isGuard: Bool
    /// False if a wrong value must not be shown, because it may contain a secret.
    let isQuoted: Bool
    /// True if the value is a number of bytes.
    let isSize: Bool

    typealias Path<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

    init<Value: SettingValue>(
        _ key: String, _ path: Path<Settings, Value>, _ life: SettingLife, _ help: String,
        form: String? = nil, isGuard: Bool = false, isQuoted: Bool = true,
        where allowed: @escaping @Sendable (Value) -> Bool = { _ in true }
    ) {
        self.init(
            key, \Settings.self, path, life, help, form: form, isGuard: isGuard, isQuoted: isQuoted,
            where: allowed)
    }

    /// A property of a group of settings, for groups that have the same type and share one list of rows.
    init<Part, Value: SettingValue>(
        _ key: String, _ part: Path<Settings, Part>, _ path: Path<Part, Value>, _ life: SettingLife,
        _ help: String, form: String? = nil, isGuard: Bool = false, isQuoted: Bool = true,
        where allowed: @escaping @Sendable (Value) -> Bool = { _ in true }
    ) {
        self.key = key
        self.life = life
        self.form = form ?? Value.settingForm
        self.help = help
        isList = Value.isList
        isMapping = Value.isMapping
        isSecret = Value.isSecret
        isSize = Value.self == ByteCount.self
        self.isGuard = isGuard
        self.isQuoted = isQuoted && !Value.isSecret
        read = { text, settings in
            // White space is dropped, because a variable made from a file mostly ends with the file's line feed.
            let trimmed = text.trimming(while: \.isWhitespace)
            // As in the file, an empty list must be spelled out: an empty variable may come from a template that left out the
            // value.
            let text = Value.isList && trimmed == Self.emptyList ? "" : trimmed
            guard let value = Value(settingText: text), allowed(value) else { return false }
            settings[keyPath: part][keyPath: path] = value
            return true
        }
        write = { $0[keyPath: part][keyPath: path].settingText }
        copy = { $1[keyPath: part][keyPath: path] = $0[keyPath: part][keyPath: path] }
        differs = { $0[keyPath: part][keyPath: path] != $1[keyPath: part][keyPath: path] }
        isSet = { $0[keyPath: part][keyPath: path] != Settings()[keyPath: part][keyPath: path] }
    }

    /// The spelling of an empty list.
    static let emptyList = "[]"

    /// The members that make a list wrong; nil if each member alone is right, or if the setting is not a list.
    func wrongMembers(of text: String) -> String? {
        guard isList else { return nil }
        var settings = Settings()
        let wrong = text.split(separator: ",").map { $0.trimming(while: \.isWhitespace) }
            .filter { !read($0, &settings) }
        return wrong.isEmpty ? nil : wrong.joined(separator: ", ")
    }

    static func number(
        _ key: String, _ path: Path<Settings, Int>, _ life: SettingLife, _ range: ClosedRange<Int>,
        _ help: String
    ) -> Setting {
        Setting(key, path, life, help, form: "\(range.lowerBound) to \(range.upperBound)") {
            range.contains($0)
        }
    }

    static func fraction(
        _ key: String, _ path: Path<Settings, Double>, _ life: SettingLife, _ help: String
    ) -> Setting {
        Setting(key, path, life, help, form: "0 to 1") { (0...1).contains($0) }
    }

    static func positive(
        _ key: String, _ path: Path<Settings, Duration>, _ life: SettingLife, _ help: String
    ) -> Setting {
        Setting(key, path, life, help, form: "a duration above 0, as 500ms, 10s, 5m, 1h or 30d") {
            $0 > .zero
        }
    }

    /// A number of bytes with a sensible minimum, because a small number usually lacks its unit.
    /// - Parameter orNone: true to allow 0 as well.
    static func size(
        _ key: String, _ path: Path<Settings, ByteCount>, _ life: SettingLife, from least: Int,
        to most: Int = .max, orNone: Bool = false, _ help: String
    ) -> Setting {
        let (least, most) = (ByteCount(least), ByteCount(most))
        let range =
            most.bytes == .max
            ? "bytes from \(least.settingText) on" : "\(least.settingText) to \(most.settingText)"
        return Setting(key, path, life, help, form: orNone ? "0B, or \(range)" : range) {
            (least...most).contains($0) || orNone && $0.bytes == 0
        }
    }

    /// The flag, such as `--cache-memory` for `cache.memory`.
    package var flag: String { "--" + key.replacing(".", with: "-") }
    /// The variable, such as `PICTOR_CACHE_MEMORY` for `cache.memory`.
    package var variable: String {
        "PICTOR_" + key.uppercased().replacing(".", with: "_").replacing("-", with: "_")
    }
    /// The group, such as `cache` for `cache.memory`.
    package var group: String { String(key.prefix { $0 != "." }) }
    /// The name within the group, such as `memory` for `cache.memory`.
    package var name: String { String(key.drop { $0 != "." }.dropFirst()) }
}
