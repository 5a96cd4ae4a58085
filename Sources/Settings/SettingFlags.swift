// SPDX-License-Identifier: Apache-2.0

/// The flags of the settings among a command's arguments. ArgumentParser does not know them, and takes the value of the first one
/// for the argument that a command may have, as the URL of `explain`.
package enum SettingFlags {
    /// Ends the flags: what follows are operands, however they begin (POSIX.1-2024 XBD §12.2, guideline 10).
    static let end = "--"

    /// The arguments with these flags and their values behind all others, where the arguments that a command does not know are
    /// taken. Behind the end of the flags nothing is one; a flag just before it has no value.
    /// - Parameter commands: those that take no settings, by their names. All that stands behind the end is theirs, and a flag
    ///   comes to stand before it, where it is refused as one.
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
        // Without operands, the end would count as one.
        guard rest.count > 1 else { return others + settings }
        var operands = Array(rest.dropFirst())
        // What is left of them would be taken for flags. With the end before it, it is refused.
        if let first = operands.indices.dropFirst().first(where: { setting(of: operands[$0]) != nil }) {
            operands.insert(end, at: first)
        }
        return others + [end] + operands + settings
    }
}
