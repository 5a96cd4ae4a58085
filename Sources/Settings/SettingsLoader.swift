// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Loads the settings: flags override `PICTOR_*` variables, which override the file, which overrides the
/// defaults.
package enum SettingsLoader {
    /// All mistakes, each with its place.
    package struct Mistakes: Error, CustomStringConvertible {
        /// One sentence each, with file and line, variable or flag.
        package let list: [String]
        package init(list: [String]) { self.list = list }
        package var description: String { list.joined(separator: "\n") }
    }

    /// - Parameters:
    ///   - flags: `--key value` or `--key=value`, as on the command line.
    ///   - file: the YAML file; nil for none.
    /// - Throws: every mistake in the flags, the variables and the file.
    package static func load(
        flags: [String], environment: [String: String], file: (path: String, text: String)?
    ) throws(Mistakes) -> Settings {
        let (settings, mistakes) = readable(flags: flags, environment: environment, file: file)
        guard mistakes.isEmpty else { throw Mistakes(list: mistakes) }
        return settings
    }

    /// The settings as far as the flags, the variables and the file can be read, for a command that must not fail because of a
    /// mistake; and all mistakes.
    package static func readable(
        flags: [String], environment: [String: String], file: (path: String, text: String)?
    ) -> (settings: Settings, mistakes: [String]) {
        var assignments: [Assignment] = []
        var mistakes: [String] = []
        if let file { readFile(file, into: &assignments, &mistakes) }
        let fileWithSettings = assignments.isEmpty ? nil : file?.path
        readEnvironment(environment, into: &assignments, &mistakes)
        readFlags(flags, into: &assignments, &mistakes)

        var settings = Settings()
        if let fileWithSettings { settings.places.note(file: fileWithSettings) }
        for assignment in assignments {
            settings.places.note(assignment.place, of: assignment.setting.key)
            if let mistake = assignment.emptiness {
                mistakes.append(mistake)
                continue
            }
            if assignment.setting.read(assignment.text, &settings) { continue }
            let (setting, text) = (assignment.setting, assignment.text)
            let given = setting.isQuoted ? ", not \"\(setting.wrongMembers(of: text) ?? text)\"" : ""
            // The form states the bounds. A text that is not a size at all, such as 1GB, gets advice on the spelling.
            let units = setting.isSize && ByteCount(settingText: text) == nil ? "; \(sizeAdvice)" : ""
            mistakes.append("\(assignment.place): \(setting.key) must be \(setting.form)\(given)\(units)")
        }
        let isOwn = assignments.contains { $0.setting.key == "origin.maximum-fetches-per-host" }
        if !isOwn {
            // Only the default is lowered; for a number that somebody chose, it is a contradiction.
            settings.origin.maximumFetchesPerHost = min(
                settings.origin.maximumFetchesPerHost, settings.origin.maximumFetches)
        }
        return (settings, mistakes)
    }

    private static let sizeAdvice = "write a size as 512KiB, 64MiB or 10GiB"

    /// Refuses settings without a single one from the file if the settings in force have some. The file is being written or was
    /// lost, and the defaults would lift its restrictions.
    package static func mustKeepFile(_ settings: Settings, of old: Settings) throws(Mistakes) {
        guard let path = old.places.file, settings.places.file == nil else { return }
        throw Mistakes(list: [
            "\(path): has no settings any more; only a start takes the defaults in place of all of them"
        ])
    }

    /// The text that was given for a setting, and its place.
    struct Assignment {
        let setting: Setting
        let text: String
        let place: String
        /// True for a value from the file, in which a text may be empty on purpose, because config/pictor.yaml spells out each
        /// default.
        var isOfFile = false

        /// Why an empty text is a mistake; nil if the text has a value, or if an empty value lifts no restriction.
        var emptiness: String? {
            guard setting.isGuard, text.allSatisfy({ $0.isWhitespace || $0 == "," }) else { return nil }
            guard setting.isList || !isOfFile else { return nil }
            let meant = setting.isList ? "write \(Setting.emptyList)" : "leave it out"
            return "\(place): \(setting.key) is empty and closes nothing; \(meant) if that is meant"
        }
    }

    // MARK: Flags

    private static func readFlags(
        _ flags: [String], into assignments: inout [Assignment], _ mistakes: inout [String]
    ) {
        var rest = flags[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // Cannot trap: a split that keeps empty parts has at least one part.
            let flag = String(parts[0])
            if argument == SettingFlags.end {
                let operand = (rest.popFirst() ?? argument).prefix { $0 != "=" }
                mistakes.append("\(operand): stands behind \(argument), which ends the flags")
                continue
            }
            guard flag.hasPrefix("-") else {
                // What stands behind "=" may be a secret.
                mistakes.append("\"\(flag)\" is no flag; flags begin with --")
                continue
            }
            guard let setting = Setting.table.first(where: { $0.flag == flag }) else {
                mistakes.append(
                    "\(flag): no such flag"
                        + NameSuggestion.words(for: flag, among: Setting.table.map(\.flag)))
                // This skips the value of an unknown flag.
                // Cannot trap: there is a first element.
                if parts.count == 1, let next = rest.first, !next.hasPrefix("--") { rest.removeFirst() }
                continue
            }
            let value = parts.count == 2 ? String(parts[1]) : rest.popFirst()
            if setting.isSecret {
                mistakes.append("\(flag): a flag is there for everyone to read; use \(setting.variable)")
            } else if setting.isList, assignments.contains(where: { $0.place == flag }) {
                // Otherwise the second list would silently replace the first, which may set a restriction.
                mistakes.append("\(flag): is given twice; a list is one value, with commas between its items")
            } else if let value {
                assignments.append(Assignment(setting: setting, text: value, place: flag))
            } else {
                mistakes.append("\(flag): needs a value: \(setting.form)")
            }
        }
    }

    // MARK: Environment

    private static func readEnvironment(
        _ environment: [String: String], into assignments: inout [Assignment], _ mistakes: inout [String]
    ) {
        let services = services(in: environment)
        for (variable, text) in environment.sorted(by: { $0.key < $1.key })
        where variable.hasPrefix("PICTOR_") {
            if variable == configurationVariable { continue }
            if let setting = Setting.table.first(where: { $0.variable == variable }) {
                assignments.append(Assignment(setting: setting, text: text, place: variable))
            } else if !services.contains(where: { isOf($0, variable) }) {
                mistakes.append(
                    "\(variable): no such setting"
                        + NameSuggestion.words(for: variable, among: Setting.table.map(\.variable)))
            }
        }
    }

    /// The services that Kubernetes announces to containers by variables. For a service named `pictor` these variables begin like
    /// Pictor's own: `PICTOR_SERVICE_HOST`, `PICTOR_SERVICE_PORT_HTTP`, `PICTOR_PORT`, `PICTOR_PORT_80_TCP_ADDR`.
    private static func services(in environment: [String: String]) -> [Substring] {
        let end = "_SERVICE_HOST"
        return environment.keys.filter { $0.hasSuffix(end) }.map { $0.dropLast(end.count) }
    }

    private static func isOf(_ service: Substring, _ variable: String) -> Bool {
        variable.hasPrefix("\(service)_SERVICE_") || variable == "\(service)_PORT"
            || variable.hasPrefix("\(service)_PORT_")
    }

    /// The variable with the path of the settings file; `--config` overrides it.
    package static let configurationVariable = "PICTOR_CONFIG"
}
