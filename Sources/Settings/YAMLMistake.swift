// SPDX-License-Identifier: Apache-2.0

internal import Yams

/// Describes a mistake in a YAML file by its line, without the line's text. The library's own description quotes the line, or the
/// whole file if a name occurs twice, and both may contain secrets.
enum YAMLMistake {
    /// One sentence with path and line.
    static func sentence(_ error: any Error, in text: String, path: String) -> String {
        switch error as? YamlError {
        case .scanner(context: let context, problem: let problem, let mark, yaml: _),
            .parser(context: let context, problem: let problem, let mark, yaml: _),
            .composer(context: let context, problem: let problem, let mark, yaml: _):
            let words = [context?.text, problem].compactMap(\.self).joined(separator: ": ")
            return "\(path):\(mark.line): not YAML: \(words)\(advice(on: problem, at: mark, in: text))"
        case .duplicatedKeysInMapping(duplicates: let names, context: let context):
            // For the parser, any key before a colon is a name, so only names of settings are shown.
            let name = names.first.flatMap { isOfSettings($0) ? ": \($0)" : nil } ?? ""
            let line = names.first.flatMap { second($0, from: context.mark, in: text) } ?? context.mark.line
            return "\(path):\(line): a name stands twice in one mapping\(name)"
        case .reader(problem: let problem, offset: let offset?, value: _, yaml: _):
            let line = text.prefix(offset).count(where: \.isNewline) + 1
            return "\(path):\(line): not YAML: \(problem)"
        case .reader(problem: let problem, offset: nil, value: _, yaml: _):
            return "\(path): not YAML: \(problem)"
        default: return "\(path): not YAML"
        }
    }

    /// The line on which a name occurs for the second time in the block mapping that begins at the mark; nil if the name is quoted
    /// or in a flow mapping.
    private static func second(_ name: String, from mark: Mark, in text: String) -> Int? {
        let start = String(repeating: " ", count: max(mark.column - 1, 0)) + name
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let places = lines.indices.dropFirst(max(mark.line - 1, 0)).filter { index in
            lines[index].hasPrefix(start)
                && lines[index].dropFirst(start.count).drop(while: { $0 == " " }).first == ":"
        }
        return places.dropFirst().first.map { $0 + 1 }
    }

    private static func isOfSettings(_ name: String) -> Bool {
        Setting.table.contains { $0.name == name || $0.group == name }
    }

    /// Advice on the usual mistake with the character at the mark; empty for other characters. The parser's own words are in
    /// terms of a grammar.
    private static func advice(on problem: String, at mark: Mark, in text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let line = lines.dropFirst(max(mark.line - 1, 0)).first else { return "" }
        if problem.hasPrefix("mapping values are not allowed") {
            // A colon at the end of the line counts as well, because its mapping is below.
            return "\(line) ".ranges(of: ": ").count > 1
                ? "; each setting stands on a line of its own, and a text with a colon in quotes"
                : "; the line above lacks its colon, or this one is indented too far"
        }
        // The parser has passed the star of `*.example` or the bracket of `[::]:80`, and points at the character behind it.
        let near = line.dropFirst(max(mark.column - 2, 0)).prefix(2)
        if near.contains("\t") { return "; lines are indented with spaces, not with tabs" }
        let sign: Character? = near == "[:" ? "[" : near.last { "*&@%`".contains($0) }
        return sign.map { "; a text that begins with \($0) stands in quotes" } ?? ""
    }
}
