// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
internal import Dialects
internal import Operator
import Settings
internal import Stores

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell on one page what is wrong with the settings, the machine, the daemon, or a URL.",
        discussion: """
            Examples:
              pictor doctor
              pictor doctor --json
              pictor doctor --url 'https://img.example.com/img?url=https%3A%2F%2Fhost%2Fa.jpg&w=300'

            The exit status is 0 if nothing is wrong, 1 if something is, and 78 for mistakes in the settings.
            """)

    @Option(name: .customLong("url"), help: "A source URL, or the URL of a picture.") var url: String?
    @Flag(help: "Print a JSON object, for programs.") var json = false
    @OptionGroup var arguments: SettingsArguments

    func run() async throws {
        arguments.adoptUnit()
        let settings = try arguments.load()
        var findings = try settings.remarks.map { Diagnosis.Finding.good("Remark: \($0)") }
        findings += settings.inForce.map { .good("In force: \($0)") }
        let jail = await JailProbe.report(settings)
        findings.append(jail.isUsable ? .good(jail.line) : .wrong(jail.line))
        do { try await JailProbe.inspect(settings) } catch let mistake as UnusableSetting {
            findings += mistake.mistakes.map { .wrong($0) }
        }
        let diagnosis = try Diagnosis(
            settings, folder: settings.diskConfiguration.folder, query: url.map { Explain.query(of: $0) })
        findings += diagnosis.findings
        if !diagnosis.hasDaemon { findings += OnlineCheck.obstacles(settings).map { .wrong($0) } }
        let report = DoctorReport(findings, explanation: diagnosis.explanation)
        print(json ? report.json + "\n" : report.text, terminator: "")
        if !report.isGood { throw ExitCode.failure }
    }
}
