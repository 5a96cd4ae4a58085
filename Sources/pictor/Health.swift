// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Operator
import Settings

struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask a running daemon whether it is ready; the exit status is 0 if it is.")

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        let settings = arguments.loadToProbe()
        let server = settings.server
        // A listener that requires a PROXY header would not answer this probe.
        let hasProbes = server.probes && !server.proxyProtocol
        let admin = settings.admin.listen
        let addresses = admin.isEmpty && hasProbes ? server.listen : admin
        guard !addresses.isEmpty else {
            throw wrongArgument(
                "admin.listen is empty, and server.probes answers nobody: there is no listener to ask")
        }
        let answer = try HealthProbe.ask(addresses)
        print(answer.text, terminator: "")
        guard answer.isReady else { throw ExitCode.failure }
    }
}
