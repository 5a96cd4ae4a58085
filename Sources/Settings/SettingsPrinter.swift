// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Makes texts from the table of settings.
package enum SettingsPrinter {
    /// A settings file with every setting, its help and its value: the values in force for `pictor check`, or the defaults for
    /// `config/pictor.yaml` if `inForce` is nil.
    package static func yaml(_ inForce: Settings? = nil) -> String {
        let settings = inForce ?? Settings()
        var lines = [
            inForce == nil
                ? "# Pictor's settings, each with its default. Made by `pictor reference yaml`."
                : "# Pictor's settings as they are in force. Made by `pictor check`.",
            "# A flag (--cache-memory) overrides a variable (PICTOR_CACHE_MEMORY), which overrides this file.",
        ]
        for group in Setting.groups {
            lines += ["", "# \(group.help)", "\(group.name):"]
            for setting in Setting.table where setting.group == group.name {
                lines += wrapped("\(setting.help) [\(setting.form)]", width: 100).map { "  # \($0)" }
                if case .atRestart(let reason) = setting.life {
                    lines.append("  # Changes at the next start: \(reason.rawValue).")
                }
                if setting.isSecret {
                    lines.append("  # \(setting.name): \(setting.isSet(settings) ? "set" : "not set")")
                    continue
                }
                lines.append("  \(setting.name): \(yamlValue(of: setting, in: settings))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The table for docs/reference/settings.md.
    package static func markdown() -> String {
        var lines = ["| setting | default | live | meaning |", "| --- | --- | --- | --- |"]
        for setting in Setting.table {
            let text = setting.write(Settings())
            lines.append(
                "| `\(setting.key)` | \(text.isEmpty ? "–" : "`\(text)`") | \(setting.life.words) | \(setting.help.replacing("|", with: "\\|")) |"
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The part of `pictor serve --help` about flags.
    package static func help() -> String {
        var lines: [String] = []
        for group in Setting.groups {
            lines += [""] + wrapped(group.help, width: 79)
            for setting in Setting.table where setting.group == group.name && !setting.isSecret {
                let value = setting.write(Settings())
                let usage =
                    "\(setting.flag) <\(setting.form)>" + (value.isEmpty ? "" : " (default: \(value))")
                for (index, line) in wrapped(usage, width: helpWidth).enumerated() {
                    lines.append((index == 0 ? "  " : "        ") + line)
                }
                lines += wrapped(setting.help, width: helpWidth).map { "        \($0)" }
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The width of the help text: with eight columns of indentation it stays below 80, because ArgumentParser breaks a line of
    /// exactly 80 columns.
    private static let helpWidth = 71

    private static func yamlValue(of setting: Setting, in settings: Settings) -> String {
        let text = setting.write(settings)
        if setting.isList {
            return "[" + text.split(separator: ", ").map { quoted(String($0)) }.joined(separator: ", ") + "]"
        }
        // A text of letters, digits and points needs no quotation marks.
        let isPlain = text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
        return isPlain && !text.isEmpty ? text : quoted(text)
    }

    /// Double-quoted (YAML 1.2.2 §7.3.1).
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + word.count + 1 > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        return lines + [line]
    }
}

extension SettingLife {
    /// The words in the column "live" of the reference.
    fileprivate var words: String {
        switch self {
        case .live: "yes"
        case .atRestart(let reason): "no: \(reason.rawValue)"
        }
    }
}
