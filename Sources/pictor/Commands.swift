// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
internal import Dialects
internal import Endpoints
import Monitoring
import Operator
import Settings
internal import Signatures

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

struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have the running daemon read its settings anew.",
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

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Read the settings as `serve` would, say what is wrong with them, and print those in force.",
        discussion:
            "What follows from the machine where a setting leaves it open, what is allowed and probably not meant, and what "
            + "of the decoders' jail this machine permits, is told on standard error. The exit status is 78 for "
            + "mistakes, and 1 if something was tried in vain, or no decoder starts."
    )

    @Flag(
        help:
            "Try the addresses and the cache's folder too, which a running daemon holds, as is then told; and connect to the proxy and to the origins that the settings name."
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

    /// Tries what only trying tells, and prints what came of it; false if something was in vain.
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

struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask a running daemon whether it is ready; the exit status is 0 if it is.")

    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        let settings = arguments.loadToProbe()
        let server = settings.server
        // A listener that wants a PROXY header answers nobody else.
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

struct Reference: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what the documentation derives from the program's own tables.")

    enum Part: String, ExpressibleByArgument, CaseIterable {
        /// A settings file with every default.
        case yaml
        /// Tables in Markdown.
        case settings, options, metrics, labels, errors
    }

    @Argument(help: "yaml (a settings file with every default), or one of the Markdown tables.") var part:
        Part

    func run() {
        switch part {
        case .yaml: print(SettingsPrinter.yaml(), terminator: "")
        case .settings: print(SettingsPrinter.markdown(), terminator: "")
        case .options: print(Tables.options, terminator: "")
        case .metrics: print(Tables.metrics, terminator: "")
        case .labels: print(Tables.labels, terminator: "")
        case .errors: print(Tables.errors, terminator: "")
        }
    }
}
