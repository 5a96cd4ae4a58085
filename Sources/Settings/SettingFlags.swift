// SPDX-License-Identifier: Apache-2.0

/// Finds the flags of settings among a command's arguments. ArgumentParser does not know these flags and would take the value of
/// the first one for an argument of the command, such as the URL of `explain`.
package enum SettingFlags {
    /// Ends the flags: all later arguments are operands, whatever they begin with (POSIX.1-2024 XBD §12.2, guideline 10).
    static let end = "--"

    /// All flags that are accepted: those of secrets are not.
    package static var all: [String] { Setting.table.filter { !$0.isSecret }.map(\.flag) }

    /// The first argument that is neither a flag nor the value of one; nil if there is none, or only behind "--".
    package static func stray(in arguments: [String]) -> String? {
        var isValue = false
        for argument in arguments {
            if argument == end { return nil }
            if argument.hasPrefix("-") {
                isValue = !argument.contains("=")
            } else if isValue {
                isValue = false
            } else {
                return argument
            }
        }
        return nil
    }

    /// Moves the settings' flags with their values behind all other arguments, where a command accepts arguments that it does not
    /// know. After "--" nothing is a flag, and a flag directly before "--" has no value.
    /// - Parameter commands: the names of commands without settings. All arguments after "--" are theirs; the flags are put
    ///   before "--", where the command refuses them.
    package static func last(
        in arguments: ArraySlice<String>, exceptOf commands: Set<String>
    ) -> [String] {
        let flags = Set(Setting.table.map(\.flag))
        func setting(of argument: String) -> String? {
            let flag = String(argument.prefix { $0 != "=" })
            return flags.contains(flag) ? flag : nil
        }
        var (others, settings): ([String], [String]) = ([], [])
        var rest = arguments
        while let argument = rest.first, argument != end {
            rest = rest.dropFirst()
            guard let flag = setting(of: argument) else {
                others.append(argument)
                continue
            }
            settings.append(argument)
            guard flag == argument, let value = rest.first, value != end else { continue }
            settings.append(value)
            rest = rest.dropFirst()
        }
        if let command = others.first, commands.contains(command) { return others + settings + rest }
        // Without operands, a "--" at the end would itself count as an operand.
        guard rest.count > 1 else { return others + settings }
        var operands = Array(rest.dropFirst())
        // A setting's flag among the operands would be taken for a flag later. With another "--" before it, the command refuses
        // it.
        if let first = operands.indices.dropFirst().first(where: { setting(of: operands[$0]) != nil }) {
            operands.insert(end, at: first)
        }
        return others + [end] + operands + settings
    }
}
