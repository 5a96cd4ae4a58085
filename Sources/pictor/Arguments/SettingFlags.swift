// SPDX-License-Identifier: Apache-2.0

import Settings

/// The flags of the settings. ArgumentParser does not know them, and takes the value of the first one for the argument that a
/// command may have, as the URL of `explain`.
enum SettingFlags {
    /// The arguments with these flags and their values behind all others, where `SettingsArguments` takes them.
    static func last(in arguments: ArraySlice<String>) -> [String] {
        let flags = Set(Setting.table.map(\.flag))
        var (others, settings): ([String], [String]) = ([], [])
        var rest = arguments
        while let argument = rest.first, argument != "--" {
            rest.removeFirst()
            let flag = String(argument.prefix { $0 != "=" })
            guard flags.contains(flag) else {
                others.append(argument)
                continue
            }
            settings.append(argument)
            if flag == argument, let value = rest.popFirst() { settings.append(value) }
        }
        return others + settings + rest
    }
}
