// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Foundation

/// `--config` and a flag for every row of the settings table.
struct SettingsArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The settings file.",
            discussion: "Default: $PICTOR_CONFIG, else /etc/pictor/pictor.yaml where that exists, else none.")
    )
    var config: String?

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Settings, as listed above.", valueName: "--setting value"))
    var settings: [String] = []

    static let standardFile = "/etc/pictor/pictor.yaml"

    func load() throws -> Settings {
        let environment = ProcessInfo.processInfo.environment
        let named = config ?? environment[SettingsLoader.configurationVariable]
        let path =
            named ?? (FileManager.default.fileExists(atPath: Self.standardFile) ? Self.standardFile : nil)
        do {
            return try SettingsLoader.load(
                flags: settings, environment: environment, file: try path.map(Self.read))
        } catch let mistakes as SettingsLoader.Mistakes {
            throw ValidationError(mistakes.description)
        }
    }

    private static func read(_ path: String) throws -> (path: String, text: String) {
        do {
            return (path, try String(contentsOfFile: path, encoding: .utf8))
        } catch {
            throw ValidationError("\(path): \(error.localizedDescription)")
        }
    }
}
