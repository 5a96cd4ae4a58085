// SPDX-License-Identifier: Apache-2.0

/// One setting, declared here once. Flags, environment, file, `--help`, `config/pictor.yaml` and
/// docs/reference/settings.md are derived from it.
package struct Setting: Sendable {
    /// Group and name: `cache.memory` is the flag `--cache-memory`, the variable `PICTOR_CACHE_MEMORY`, and
    /// `memory` under `cache` in the file.
    package let key: String
    /// Whether a reload takes a new value into force, and if not, why.
    package let life: SettingLife
    /// The values allowed, for people.
    package let form: String
    /// The setting's meaning, and the sketch that led to its default, for people.
    package let help: String
    let read: @Sendable (String, inout Settings) -> Bool
    let write: @Sendable (Settings) -> String
    /// True if a secret has a value, which `write` does not reveal.
    let isSet: @Sendable (Settings) -> Bool
    /// Takes the value over from other settings.
    let copy: @Sendable (Settings, inout Settings) -> Void
    /// Whether the two have different values.
    let differs: @Sendable (Settings, Settings) -> Bool
    let isList: Bool
    let isMapping: Bool
    /// True if the value must not be printed.
    let isSecret: Bool
    /// True if its value closes something, and an empty one leaves it open: a list of hosts that may be asked, the keys of
    /// URLs. An empty text of a variable or a flag is refused then, because a template may have left the value out.
    let isGuard: Bool
    /// False if a wrong value is not shown either, because a secret may have come into it.
    let isQuoted: Bool
    /// True if its value is a number of bytes.
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

    /// A property of a part of the settings, for parts of one type that have one list of rows.
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
            // A variable that is made from a file mostly ends as that does, in a line feed.
            let trimmed = text.trimming(while: \.isWhitespace)
            // As in the file: an empty variable may be one that a template left empty.
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

    /// How an empty list is spelled.
    static let emptyList = "[]"

    /// The members of a list that make it wrong; nil if each of them alone is right, and for other settings.
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

    /// Bytes, no fewer than make sense: a number without its unit is a slip of the hand.
    /// - Parameter orNone: whether 0 is allowed as well.
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

    /// `--cache-memory` for `cache.memory`.
    package var flag: String { "--" + key.replacing(".", with: "-") }
    /// `PICTOR_CACHE_MEMORY` for `cache.memory`.
    package var variable: String {
        "PICTOR_" + key.uppercased().replacing(".", with: "_").replacing("-", with: "_")
    }
    /// `cache` of `cache.memory`.
    package var group: String { String(key.prefix { $0 != "." }) }
    /// `memory` of `cache.memory`.
    package var name: String { String(key.drop { $0 != "." }.dropFirst()) }
}
