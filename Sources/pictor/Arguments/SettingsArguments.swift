// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
internal import Daemon
import Foundation
import Monitoring
import Settings
internal import Signatures

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

    /// - Parameters:
    ///   - needsToken: whether the command is no use without the admin token's file.
    ///   - needsKeys: whether it is none without that of the signatures' keys.
    func load(needsToken: Bool = true, needsKeys: Bool = false) throws -> Settings {
        try Self.load(config, flags: settings) { settings throws(UnusableSetting) in
            if needsToken { _ = try settings.adminSecret }
            if needsKeys { _ = try settings.signatureRule }
            return settings
        }
    }

    /// - Parameter use: what the settings are for; what it cannot use of them is told as their other mistakes are.
    static func load<Result>(
        _ config: String?, flags: [String], _ use: (Settings) throws(UnusableSetting) -> Result
    ) throws -> Result {
        let environment = ProcessInfo.processInfo.environment
        let named = config ?? environment[SettingsLoader.configurationVariable]
        let path =
            named ?? (FileManager.default.fileExists(atPath: Self.standardFile) ? Self.standardFile : nil)
        do {
            let settings = try SettingsLoader.load(
                flags: flags, environment: environment, file: try path.map(Self.read))
            try settings.mustBeUsable()
            return try use(settings)
        } catch let mistakes as SettingsLoader.Mistakes {
            throw Self.refuse(mistakes.list)
        } catch let mistake as UnusableSetting {
            throw Self.refuse([mistake.description])
        }
    }

    private static func read(_ path: String) throws -> (path: String, text: String) {
        do {
            return (path, try String(contentsOfFile: path, encoding: .utf8))
        } catch {
            throw refuse(["\(path): \(error.localizedDescription)"])
        }
    }

    /// A line each, and an exit status that tells a service manager not to try again (EX_CONFIG, sysexits.h).
    static func refuse(_ mistakes: [String]) -> ExitCode {
        let lines = mistakes.map { "Error: \($0)\n" }.joined()
        StandardError.write(lines)
        return ExitCode(EX_CONFIG)
    }
}
