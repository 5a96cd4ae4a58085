// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Endpoints
import Operator
import Settings

struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the running daemon read its settings again.",
        discussion:
            "It finds the daemon by the same settings as `serve`. A mistake in the settings changes nothing; "
            + "the exit status is then 1, and the mistakes are printed.")

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        arguments.adoptUnit()
        let report = try ReloadService(try arguments.loadForDaemon()).reload()
        print("changed: \(report.changed.isEmpty ? "nothing" : report.changed.joined(separator: ", "))")
        for key in report.needsRestart {
            print("at the next start: \(key)\(report.reasons[key].map { ", because \($0)" } ?? "")")
        }
    }
}
