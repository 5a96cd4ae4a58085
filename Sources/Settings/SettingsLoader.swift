// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Yams

/// Loads the settings: flags override `PICTOR_*` variables, which override the file, which overrides the
/// defaults.
package enum SettingsLoader {
    /// All mistakes at once, each with its place.
    package struct Mistakes: Error, CustomStringConvertible {
        /// One sentence each, with file and line, variable or flag.
        package let list: [String]
        /// Takes the sentences.
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
    /// mistake, and all mistakes.
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
            mistakes.append("\(assignment.place): \(setting.key) must be \(setting.form)\(given)")
        }
        let isOwn = assignments.contains { $0.setting.key == "origin.maximum-fetches-per-host" }
        if !isOwn {
            // The default; a number that somebody chose would be a contradiction.
            settings.origin.maximumFetchesPerHost = min(
                settings.origin.maximumFetchesPerHost, settings.origin.maximumFetches)
        }
        return (settings, mistakes)
    }

    /// Refuses settings without any of a file, where those in force have some: it is being written, or was lost, and the
    /// defaults in its place would open what it closes.
    package static func mustKeepFile(_ settings: Settings, of old: Settings) throws(Mistakes) {
        guard let path = old.places.file, settings.places.file == nil else { return }
        throw Mistakes(list: [
            "\(path): has no settings any more; only a start takes the defaults in place of all of them"
        ])
    }

    private struct Assignment {
        let setting: Setting
        let text: String
        let place: String
        /// True for a value of the file. A text may be empty there on purpose, as config/pictor.yaml spells each default.
        var isOfFile = false

        /// Why an empty text is a mistake; nil where there is a value, or where an empty one opens nothing.
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
            // Cannot trap: with empty parts, a text has one at least.
            let flag = String(parts[0])
            guard let setting = Setting.table.first(where: { $0.flag == flag }) else {
                mistakes.append(
                    "\(flag): no such flag" + suggestion(for: flag, among: Setting.table.map(\.flag)))
                // The value of an unknown flag.
                // Cannot trap: there is a first.
                if parts.count == 1, let next = rest.first, !next.hasPrefix("--") { rest.removeFirst() }
                continue
            }
            if setting.isSecret {
                mistakes.append("\(flag): a flag is there for everyone to read; use \(setting.variable)")
                if parts.count == 1 { rest = rest.dropFirst() }
            } else if parts.count == 2 {
                assignments.append(Assignment(setting: setting, text: String(parts[1]), place: flag))
            } else if let value = rest.popFirst() {
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
                        + suggestion(for: variable, among: Setting.table.map(\.variable)))
            }
        }
    }

    /// Services of which Kubernetes tells the containers of a namespace by variables. Those of a service that is named
    /// `pictor`, as who deploys Pictor would name it, begin as ours do: `PICTOR_SERVICE_HOST`, `PICTOR_SERVICE_PORT_HTTP`,
    /// `PICTOR_PORT`, `PICTOR_PORT_80_TCP_ADDR`.
    private static func services(in environment: [String: String]) -> [Substring] {
        let end = "_SERVICE_HOST"
        return environment.keys.filter { $0.hasSuffix(end) }.map { $0.dropLast(end.count) }
    }

    private static func isOf(_ service: Substring, _ variable: String) -> Bool {
        variable.hasPrefix("\(service)_SERVICE_") || variable == "\(service)_PORT"
            || variable.hasPrefix("\(service)_PORT_")
    }

    /// The variable with the file's path, which `--config` overrides.
    package static let configurationVariable = "PICTOR_CONFIG"

    // MARK: File

    private static func readFile(
        _ file: (path: String, text: String), into assignments: inout [Assignment], _ mistakes: inout [String]
    ) {
        let root: Node?
        do {
            root = try Yams.compose(yaml: file.text)
        } catch {
            mistakes.append(YAMLMistake.sentence(error, in: file.text, path: file.path))
            return
        }
        guard let root, root.null == nil else { return }
        guard let groups = root.mapping else {
            mistakes.append("\(file.path): must be a mapping of groups to settings")
            return
        }
        for (group, body) in groups {
            let place = "\(file.path):\(group.mark?.line ?? 0)"
            guard let groupName = group.string, Setting.groups.contains(where: { $0.name == groupName })
            else {
                let name = group.string ?? "?"
                mistakes.append("\(place): no such group: \(name)\(advice(on: name))")
                continue
            }
            if body.null != nil { continue }
            guard let entries = body.mapping else {
                mistakes.append("\(place): \(groupName) must be a mapping")
                continue
            }
            for (name, value) in entries {
                readEntry(groupName, name, value, path: file.path, into: &assignments, &mistakes)
            }
        }
    }

    private static func readEntry(
        _ group: String, _ name: Node, _ value: Node, path: String, into assignments: inout [Assignment],
        _ mistakes: inout [String]
    ) {
        let key = "\(group).\(name.string ?? "?")"
        let place = "\(path):\(name.mark?.line ?? 0)"
        guard let setting = Setting.table.first(where: { $0.key == key }) else {
            mistakes.append(
                "\(place): no such setting: \(key)" + suggestion(for: key, among: Setting.table.map(\.key)))
            return
        }
        guard value.null == nil else {
            // An empty list may open everything, which nobody expects of a line without a value.
            let empty = setting.isList ? ", or write \(Setting.emptyList) for an empty list" : ""
            mistakes.append("\(place): \(key) has no value; leave the line out for the default\(empty)")
            return
        }
        func assign(_ text: String) {
            assignments.append(Assignment(setting: setting, text: text, place: place, isOfFile: true))
        }
        if let items = value.sequence, setting.isList {
            let texts = items.compactMap(\.scalar?.string)
            guard texts.count == items.count else {
                mistakes.append("\(place): \(key) must be a list of plain values")
                return
            }
            // A list that is short of an item, as of a name that a template left out, may open what it should close.
            let hasEmpty = zip(items, texts).contains { item, text in
                item.null != nil || text == Setting.emptyList
                    || text.allSatisfy { $0.isWhitespace || $0 == "," }
            }
            guard !hasEmpty else {
                mistakes.append("\(place): \(key) has an empty item")
                return
            }
            assign(items.isEmpty ? Setting.emptyList : texts.joined(separator: ","))
        } else if let pairs = value.mapping, setting.isMapping {
            let texts = pairs.compactMap { name, value in
                name.scalar.flatMap { name in value.scalar.map { "\(name.string)=\($0.string)" } }
            }
            guard texts.count == pairs.count, !texts.contains(where: { $0.contains(",") }) else {
                mistakes.append("\(place): \(key) must be a mapping of names to plain values without commas")
                return
            }
            assign(texts.joined(separator: ","))
        } else if let scalar = value.scalar {
            assign(scalar.string)
        } else {
            mistakes.append("\(place): \(key) must be \(setting.form)")
        }
    }

    // MARK: Suggestions

    /// Advice on a name where a group's is expected: the documents write `origin.allow-hosts`, and lines lose their indentation.
    private static func advice(on name: String) -> String {
        let meant = Setting.table.filter { $0.key == name || $0.name == name }
        guard meant.count == 1, let setting = meant.first else {
            return suggestion(for: name, among: Setting.groups.map(\.name))
        }
        return "; \(setting.name) stands below \(setting.group), indented"
    }

    /// "; did you mean …?" if a name is close enough to the text; otherwise empty.
    private static func suggestion(for text: String, among names: [String]) -> String {
        let nearest = names.map { (name: $0, distance: distance(text, $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= max(2, text.count / 4) else { return "" }
        return "; did you mean \(nearest.name)?"
    }

    /// Levenshtein's edit distance.
    private static func distance(_ a: String, _ b: String) -> Int {
        let b = Array(b)
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let substituted = diagonal + (x == y ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, row[j] + 1, diagonal + 1)
            }
        }
        return row[b.count]
    }
}
