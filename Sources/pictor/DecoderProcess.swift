// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Started by the daemon itself, never by people.
struct DecoderProcess: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "decoder", shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() { DecoderCommand.run(arguments) }
}
