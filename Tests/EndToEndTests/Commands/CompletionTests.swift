// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("bash completes the settings' flags where they may stand", .endToEnd)
struct CompletionTests {
    private struct Help: Decodable {
        struct Command: Decodable {
            struct Argument: Decodable { var valueName: String? }
            var commandName: String
            var arguments: [Argument]?
            var subcommands: [Command]?

            /// The words of each command below this one, and whether it takes settings.
            var all: [(words: [String], takesSettings: Bool)] {
                (subcommands ?? []).flatMap { command -> [(words: [String], takesSettings: Bool)] in
                    let takes = command.arguments?.contains { $0.valueName == "--setting value" } ?? false
                    let below = command.all.map {
                        (words: [command.commandName] + $0.words, takesSettings: $0.takesSettings)
                    }
                    return [(words: [command.commandName], takesSettings: takes)] + below
                }
            }
        }
        var command: Command
    }

    private let folder = TemporaryFolder()

    init() throws {
        let script = try PictorCommand(["--generate-completion-script", "bash"])
        try script.output.write(toFile: "\(folder.path)/script", atomically: true, encoding: .utf8)
    }

    /// What bash offers for the last of these words, which follow `pictor`.
    private func offered(_ words: [String]) throws -> Set<String> {
        let complete = """
            source ./script
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
            read -ra registered <<< "$(complete -p pictor)"
            "${registered[-2]}" pictor "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let run = try Program.run(
            ["bash", "-c", complete, "bash", "pictor"] + words, environment: ["PATH": "/usr/bin:/bin"],
            folder: folder.path)
        return Set(try #require(run).output.split(separator: "\n").map(String.init))
    }

    @Test func `of each command that takes settings, and of no other`() throws {
        let dump = try PictorCommand(["--experimental-dump-help"])
        let commands = try JSONDecoder().decode(Help.self, from: Data(dump.output.utf8)).command.all
        try #require(commands.count > 10)
        for (words, takesSettings) in commands {
            let flags: Set = try offered(words + ["--log-l"])
            #expect(flags == (takesSettings ? ["--log-level"] : []), "\(words)")
        }
    }

    @Test func `beside its own flags, and behind other settings`() throws {
        #expect(try offered(["check", "--on"]) == ["--online"])
        #expect(try offered(["check", "--o"]).isSuperset(of: ["--online", "--origin-timeout"]))
        #expect(try offered(["serve", "--log-level", "info", "--log-f"]).contains("--log-format"))
        #expect(try offered(["ser"]) == ["serve"])
    }

    @Test func `but neither as a setting's value, nor behind the end of the flags, nor a secret's`() throws {
        #expect(try offered(["serve", "--log-level", "--log-f"]).isEmpty)
        #expect(try offered(["explain", "--", "--log-l"]).isEmpty)
        #expect(try offered(["serve", "--admin-toke"]) == ["--admin-token-file"])
    }
}
