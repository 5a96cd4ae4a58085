// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Decoder
import DecoderProtocol
import Dispatch
import Glibc
import Inspector
import Monitoring
import Settings
import Worker

@main
enum Entry {
    /// `main` is synchronous because an asynchronous one starts threads and opens descriptors before its first line, while a
    /// worker process must have a single thread when it enters its jail.
    static func main() {
        let words = CommandLine.arguments
        if words.isEmpty { refuseToGuess() }
        refuseRepaired(words.dropFirst().first)
        switch words.dropFirst().first {
        case "worker": work(words.dropFirst(2))
        case "serve" where !asksForHelp(words): Startup.prepare()
        default: Startup.prepareCommand()
        }
        OutputEnd.watch()
        Task {
            let arguments = SettingFlags.last(
                in: words.dropFirst(), exceptOf: Pictor.commandsWithoutSettings)
            if SettingCompletions.areAsked(by: arguments) {
                print(SettingCompletions.script, terminator: "")
            } else {
                await Pictor.main(arguments)
            }
            exit(EXIT_SUCCESS)
        }
        dispatchMain()
    }

    /// True if the command only prints, which a closed pipe may end as it ends other commands; the daemon ignores SIGPIPE.
    private static func asksForHelp(_ words: [String]) -> Bool {
        words.contains { ["-h", "--help", "--version"].contains($0) }
    }

    /// Swift reads the arguments from /proc. Where there are none, ArgumentParser would print the help, and the status would be 0.
    private static func refuseToGuess() -> Never {
        StandardError.write("Error: /proc/self/cmdline cannot be read, and has the arguments: mount /proc\n")
        exit(EX_CONFIG)
    }

    /// Swift repairs an argument that is not UTF-8: the command would take another file or URL than the one that is named. `render`
    /// goes on, and tells of such a file as it tells of those that it finds in folders.
    private static func refuseRepaired(_ command: String?) {
        guard command != "render" else { return }
        for index in (0..<Int(CommandLine.argc)).dropFirst() {
            guard let argument = CommandLine.unsafeArgv[index], String(validatingCString: argument) == nil
            else { continue }
            StandardError.write("Error: argument \(index) is not UTF-8\n")
            exit(command == "serve" ? EX_CONFIG : EX_USAGE)
        }
    }

    /// The internal command `pictor worker`. The daemon starts it with a socket at descriptor 3.
    private static func work(_ arguments: ArraySlice<String>) -> Never {
        let life = WorkerMain(arguments, prepare: DecoderMain.prepare)
        switch life.kind {
        case .decoder: DecoderMain.run(life)
        case .inspector: InspectorMain.run(life)
        }
    }
}
