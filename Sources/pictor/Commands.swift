// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Start the daemon.",
        discussion: "Settings, as flags; each is also a PICTOR_ variable and a line of the settings file.\n"
            + SettingsPrinter.help())

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        let settings = try arguments.load()
        try await Application.run(settings)
    }
}

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read the settings as `serve` would, say what is wrong with them, and print those in force."
    )

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        print(SettingsPrinter.yaml(try arguments.load()), terminator: "")
    }
}

struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask a running daemon whether it is ready; the exit status is 0 if it is.")

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        let settings = try arguments.load()
        guard let address = settings.admin.listen.first else {
            throw ValidationError("admin.listen is empty: there is no listener to ask")
        }
        let answer = try HealthProbe.ask(address)
        print(answer.text)
        guard answer.isReady else { throw ExitCode.failure }
    }
}

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Print the settings table as a settings file or as Markdown.")

    enum Form: String, ExpressibleByArgument, CaseIterable { case yaml, markdown }

    @Argument(help: "yaml or markdown") var form: Form = .yaml

    func run() {
        switch form {
        case .yaml: print(SettingsPrinter.yaml(), terminator: "")
        case .markdown: print(SettingsPrinter.markdown(), terminator: "")
        }
    }
}
