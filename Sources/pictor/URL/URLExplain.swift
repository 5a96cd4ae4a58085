// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Endpoints
internal import Operator

struct URLExplain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say what a URL asks for, which defaults apply, and whether its signature is valid.",
        discussion: "`pictor explain` asks the daemon what it holds for it.")

    @OptionGroup var arguments: URLArguments
    @OptionGroup var moment: MomentArguments

    @Flag(help: "Print JSON, for programs.") var json = false

    @Argument(help: "The URL: /img?…, with or without scheme and host.") var url: String

    func run() throws {
        let service = try arguments.service()
        let explanation = try service.explain(url, now: moment.now)
        print(json ? ControlJSON.text(explanation) : explanation.lines.joined(separator: "\n"))
    }
}
