// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
internal import Daemon
import Foundation
import Monitoring
internal import Operator
import Settings
internal import Signatures

/// `--config`, and one flag for every setting.
struct SettingsArguments: ParsableArguments {
    @Option(help: .settingsFile()) var config: String?

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "Any setting as a flag, as --cache-memory 1GiB. `pictor serve --help` lists them.",
            valueName: "--setting value"))
    var settings: [String] = []

    static let standardFile = "/etc/pictor/pictor.yaml"

    /// For a command to the daemon: adopts the cache folder, secrets and admin socket of the installed unit, as far as the
    /// environment does not set them. The socket is left out if the command names another settings file or admin listener.
    func adoptUnit() {
        let environment = ProcessInfo.processInfo.environment
        let isOther =
            config != nil || environment[SettingsLoader.configurationVariable] != nil
            || environment["PICTOR_ADMIN_LISTEN"] != nil
            || settings.contains { $0.hasPrefix("--admin-listen") }
        InstalledUnit.adopt(isMeant: !isOther)
    }

    /// For a command that reads the settings but does not ask an admin listener: adopts the cache folder and the secrets of the
    /// installed unit, unless the command names another settings file than the unit's.
    static func adoptSecrets(_ config: String?) {
        let named = config ?? ProcessInfo.processInfo.environment[SettingsLoader.configurationVariable]
        if named == nil || named == standardFile { InstalledUnit.adopt(isMeant: false) }
    }

    /// Loads and checks the settings, including the admin token and the signature keys.
    /// - Throws: exit status 78, after printing all mistakes.
    func load() throws -> Settings {
        try Self.load(config, flags: settings) { settings throws(UnusableSetting) in
            _ = try settings.adminSecret
            _ = try settings.signatureRule
            return settings
        }
    }

    /// Loads the settings for a command to a running daemon. Files that the settings name are not checked, because the daemon may
    /// read secrets that this process cannot, and may have started before a file changed.
    /// - Throws: exit status 78, after printing all mistakes of spelling, or those of the admin token.
    func loadForDaemon() throws -> Settings {
        try Self.load(config, flags: settings, isChecked: false) { settings throws(UnusableSetting) in
            _ = try settings.adminSecret
            return settings
        }
    }

    /// Loads as much of the settings as can be read, to find a running daemon: a mistake in the file does not stop the daemon, so
    /// it must not make the probe fail. The mistakes are printed as warnings.
    func loadToProbe() -> Settings {
        var file: (path: String, text: String)?
        do throws(SettingsLoader.Mistakes) {
            file = try Self.text(of: Self.file(config))
        } catch {
            Self.warn(of: error.list)
        }
        let (readable, mistakes) = SettingsLoader.readable(
            flags: settings, environment: ProcessInfo.processInfo.environment, file: file)
        Self.warn(of: mistakes)
        return readable
    }

    private static func warn(of mistakes: [String]) {
        StandardError.write(ShownMistakes.list(mistakes).map { "Warning: \($0)\n" }.joined())
    }

    /// - Parameters:
    ///   - isChecked: false to check only the spelling of the settings, not the files that they name.
    ///   - use: takes what the command needs from the settings; the mistakes that it throws are printed like the others.
    static func load<Result>(
        _ config: String?, flags: [String], isChecked: Bool = true,
        _ use: (Settings) throws(UnusableSetting) -> Result
    ) throws -> Result {
        do {
            let settings = try read(config, flags: flags)
            if isChecked { try settings.mustBeUsable() }
            do throws(UnusableSetting) { return try use(settings) } catch {
                throw Self.refuse(error.mistakes.map(settings.places.placed))
            }
        } catch let mistakes as SettingsLoader.Mistakes {
            throw Self.refuse(mistakes.list)
        } catch let mistake as UnusableSetting {
            throw Self.refuse(mistake.mistakes)
        }
    }

    /// These arguments with the path of the present settings file. A reload that does not find this file is refused; without a path
    /// it would silently use the defaults.
    var keepingFile: SettingsArguments {
        var arguments = self
        arguments.config = Self.file(config)
        return arguments
    }

    /// Reads the same settings again; `Reloader` checks them.
    func reload() throws(SettingsLoader.Mistakes) -> Settings { try Self.read(config, flags: settings) }

    /// The path of the file to read; nil if there is no settings file.
    private static func file(_ config: String?) -> String? {
        if let named = config ?? ProcessInfo.processInfo.environment[SettingsLoader.configurationVariable] {
            return named
        }
        return FilePresence.isPossible(standardFile) ? standardFile : nil
    }

    private static func read(
        _ config: String?, flags: [String]
    ) throws(SettingsLoader.Mistakes) -> Settings {
        try SettingsLoader.load(
            flags: flags, environment: ProcessInfo.processInfo.environment,
            file: Self.text(of: Self.file(config)))
    }

    /// The path and the text of the file; nil if `path` is nil.
    private static func text(
        of path: String?
    ) throws(SettingsLoader.Mistakes) -> (path: String, text: String)? {
        guard let path else { return nil }
        guard !path.isEmpty else {
            let variable = SettingsLoader.configurationVariable
            throw SettingsLoader.Mistakes(list: [
                "--config or \(variable) is empty and names no settings file; leave it out if that is meant"
            ])
        }
        do {
            return (path, try String(smallFile: path))
        } catch {
            throw SettingsLoader.Mistakes(list: ["\(path): \(error.fileReason)"])
        }
    }

    /// Prints a line for each mistake; the exit status tells a service manager not to restart the command
    /// (EX_CONFIG, sysexits.h).
    static func refuse(_ mistakes: [String]) -> ExitCode {
        let lines = ShownMistakes.list(mistakes).map { "Error: \($0)\n" }.joined()
        StandardError.write(lines)
        return ExitCode(EX_CONFIG)
    }
}

extension ArgumentHelp {
    /// The help of `--config`.
    /// - Parameter purpose: what a command reads the file for, if not all of it.
    static func settingsFile(for purpose: String? = nil) -> ArgumentHelp {
        ArgumentHelp(
            "The settings file\(purpose.map { ", for \($0)" } ?? "").",
            discussion: "Default: $PICTOR_CONFIG, else /etc/pictor/pictor.yaml where that exists, else none.")
    }
}
