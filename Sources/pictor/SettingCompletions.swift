// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Settings

/// The completion script for bash, with the flags of the settings. ArgumentParser does not know these flags, so its own script offers
/// none; the function here is called in place of its function, and adds them.
enum SettingCompletions {
    /// True if these arguments ask for the script: `--generate-completion-script bash`.
    static func areAsked(by arguments: [String]) -> Bool {
        let flag = "--generate-completion-script"
        if arguments == [flag] { return CompletionShell.autodetected() == CompletionShell.bash }
        return arguments == [flag, "bash"] || arguments == ["\(flag)=bash"]
    }

    static var script: String {
        let flags = SettingFlags.all.joined(separator: " ")
        let others = (Pictor.commandsWithoutSettings.sorted() + ["help"]).joined(separator: "|")
        return Pictor.completionScript(for: .bash) + """

            # Offers the settings' flags as well: where a flag may stand, and not as the value of one.
            _pictor_and_settings() {
                _pictor "${@}"
                local -r flags='\(flags)'
                case "${COMP_WORDS[1]}" in
                \(others)) return 0 ;;
                cache) [[ "${COMP_CWORD}" -gt 2 ]] || return 0 ;;
                *) [[ "${COMP_CWORD}" -gt 1 ]] || return 0 ;;
                esac
                [[ "${2}" = -* && " ${flags} " != *" ${3} "* ]] || return 0
                local word
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    [[ "${word}" != -- ]] || return 0
                done
                COMPREPLY+=($(compgen -W "${flags}" -- "${2}"))
            }

            complete -o filenames -F _pictor_and_settings pictor

            """
    }
}
