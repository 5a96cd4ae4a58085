// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Operator
import Settings

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
