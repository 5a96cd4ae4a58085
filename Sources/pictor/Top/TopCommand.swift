// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Foundation
import Operator

struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Watch a running daemon in the terminal.",
        discussion: """
            It finds the daemon by the same settings as `serve`, at its admin listener. The keys: arrows or j and k choose, \
            Enter looks into an origin or a target, Tab changes the list, s its order, p pauses, ? helps, q quits.

            The exit status is 0 after q, 1 if the daemon does not answer at the start, and 128 and the number after a signal.

            Examples:
              pictor top
              pictor top --interval 5 --admin-listen 127.0.0.1:8081
              pictor top --once
              pictor top --json
            """)

    @Option(help: "Seconds between two looks, 0.2 to 3600.") var interval = 1.0
    @Flag(help: "Print one view and end.") var once = false
    @Flag(help: "Print one moment as JSON and end; the members are those of GET /admin/live.") var json =
        false
    @OptionGroup var arguments: SettingsArguments

    func validate() throws {
        guard (0.2...3_600).contains(interval) else {
            throw ValidationError("--interval must be from 0.2 to 3600.")
        }
    }

    func run() async throws {
        guard once || json || Terminal.isThere else {
            throw wrongArgument("This is no terminal: use --once or --json.")
        }
        arguments.adoptUnit()
        let settings = try arguments.loadForDaemon()
        let source = try TopSource(settings)
        let look = try source.look()
        if json { return print(look.json) }
        if once { return Self.show(look) }
        let signal = try TopSession(source, first: look, interval: interval).go()
        if let signal { throw ExitCode(128 + signal) }
    }

    private static func show(_ look: TopSource.Look) {
        let frame = TopFrame(look.moment, stages: look.stages, address: look.address)
        let ink = Terminal.ink
        for line in frame.all(width: Terminal.printedWidth) { print(line.rendered(ink)) }
    }
}
