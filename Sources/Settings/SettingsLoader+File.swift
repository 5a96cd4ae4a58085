// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Yams

/// Reading the settings file.
extension SettingsLoader {
    static func readFile(
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
                mistakes.append(
                    "\(place): \(groupName) must be a mapping: its settings stand below it, indented, as name: value"
                )
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
                "\(place): no such setting: \(key)"
                    + NameSuggestion.words(for: key, among: Setting.table.map(\.key)))
            return
        }
        do throws(MisshapenValue) {
            let text = try text(of: value, for: setting)
            assignments.append(Assignment(setting: setting, text: text, place: place, isOfFile: true))
        } catch {
            mistakes.append("\(place): \(key) \(error.words)")
        }
    }

    /// The end of a sentence about a setting whose value in the file has the wrong YAML type.
    private struct MisshapenValue: Error {
        let words: String
    }

    /// The value in the spelling of a variable or a flag.
    private static func text(of value: Node, for setting: Setting) throws(MisshapenValue) -> String {
        guard value.null == nil else {
            // The message explains how to write an empty list, which may lift every restriction, so a line without a value does
            // not count as one.
            let empty = setting.isList ? ", or write \(Setting.emptyList) for an empty list" : ""
            throw MisshapenValue(words: "has no value; leave the line out for the default\(empty)")
        }
        if let items = value.sequence, setting.isList { return try list(items) }
        if let pairs = value.mapping, setting.isMapping {
            let texts = pairs.compactMap { name, value in
                name.scalar.flatMap { name in value.scalar.map { "\(name.string)=\($0.string)" } }
            }
            guard texts.count == pairs.count, !texts.contains(where: { $0.contains(",") }) else {
                throw MisshapenValue(words: "must be a mapping of names to plain values without commas")
            }
            return texts.joined(separator: ",")
        }
        guard let scalar = value.scalar else { throw MisshapenValue(words: "must be \(setting.form)") }
        return scalar.string
    }

    private static func list(_ items: Node.Sequence) throws(MisshapenValue) -> String {
        let texts = items.compactMap(\.scalar?.string)
        guard texts.count == items.count else {
            throw MisshapenValue(words: "must be a list of plain values")
        }
        // An item without a value, for example from a template, makes the list shorter, which may lift a restriction that it
        // should set.
        let hasEmpty = zip(items, texts).contains { item, text in
            item.null != nil || text == Setting.emptyList
                || text.allSatisfy { $0.isWhitespace || $0 == "," }
        }
        guard !hasEmpty else { throw MisshapenValue(words: "has an empty item") }
        return items.isEmpty ? Setting.emptyList : texts.joined(separator: ",")
    }

    /// Advice on a name where a group is expected: the documents write `origin.allow-hosts`, and lines may have lost their
    /// indentation.
    private static func advice(on name: String) -> String {
        let meant = Setting.table.filter { $0.key == name || $0.name == name }
        guard meant.count == 1, let setting = meant.first else {
            return NameSuggestion.words(for: name, among: Setting.groups.map(\.name))
        }
        return "; \(setting.name) stands below \(setting.group), indented"
    }
}
