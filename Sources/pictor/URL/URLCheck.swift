// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
internal import Operator
import Signatures

struct URLCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say whether a URL is signed and valid; the exit status is 0 if it is.")

    @OptionGroup var arguments: URLArguments
    @OptionGroup var moment: MomentArguments

    @Argument(help: "The URL: /img?…, with or without scheme and host.") var url: String

    func run() throws {
        let service = try arguments.service()
        let end = try service.check(url, now: moment.now)
        print("signed, and good until " + (end.map(UnixTime.text) ?? "the key is changed"))
    }
}
