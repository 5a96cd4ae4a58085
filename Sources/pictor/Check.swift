// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Dialects
import Monitoring
import Settings

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Read the settings as `serve` would, say what is wrong with them, and print those in force.",
        discussion:
            "Standard error tells what the machine decides where a setting leaves it open, what is allowed but probably not "
            + "meant, and which measures of the decoders' jail this machine permits. The exit status is 78 for "
            + "mistakes in the settings, and 1 if a trial failed or no decoder starts."
    )

    @Flag(
        help:
            "Also open the addresses and the cache's folder, which fails while a daemon holds them, and connect to the proxy and to the origins that the settings name."
    )
    var online = false
    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        arguments.adoptUnit()
        let settings = try arguments.load()
        print(SettingsPrinter.yaml(settings), terminator: "")
        for line in settings.inForce { StandardError.write("In force: \(line)\n") }
        for remark in try settings.remarks { StandardError.write("Warning: \(remark)\n") }
        let jail = await JailProbe.report(settings)
        StandardError.write("\(jail.line)\n")
        do {
            try await JailProbe.inspect(settings)
        } catch let mistake as UnusableSetting {
            throw SettingsArguments.refuse(mistake.mistakes)
        }
        let isReachable = online ? try await isReachable(by: settings) : true
        if !jail.isUsable || !isReachable { throw ExitCode.failure }
    }

    /// Tries what only a connection can tell, and prints the results; false if something cannot be reached or used.
    private func isReachable(by settings: Settings) async throws -> Bool {
        let obstacles = OnlineCheck.obstacles(settings)
        for obstacle in obstacles { StandardError.write("Error: \(obstacle)\n") }
        let findings =
            try await OriginCheck.findings(settings) + SharedStoreCheck.findings(settings)
            + FleetCheck.findings(settings)
        for finding in findings {
            StandardError.write(finding.isObstacle ? "Error: \(finding.words)\n" : "\(finding.words)\n")
        }
        return obstacles.isEmpty && !findings.contains(where: \.isObstacle)
    }
}
