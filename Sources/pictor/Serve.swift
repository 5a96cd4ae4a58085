// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Monitoring
import Settings

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Start the daemon.",
        discussion: "Settings, as flags; each is also a PICTOR_ variable and a line of the settings file.\n"
            + SettingsPrinter.help())

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        let arguments = self.arguments.keepingFile
        let settings = try arguments.load()
        do {
            try await Application.run(settings) { [arguments] () throws(SettingsLoader.Mistakes) in
                try arguments.reload()
            }
        } catch let mistake as UnusableSetting {
            throw SettingsArguments.refuse(mistake.mistakes)
        } catch let failure as StartupFailure where failure.isLasting {
            throw SettingsArguments.refuse([settings.places.placed(failure.description)])
        } catch {
            StandardError.write("Error: \(error)\n")
            throw ExitCode.failure
        }
    }
}
