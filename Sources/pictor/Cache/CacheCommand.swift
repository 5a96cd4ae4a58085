// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Endpoints
import Foundation
import Operator

struct Cache: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Inspect the cache, remove things from it, and keep it in order.",
        discussion: """
            Asks the running daemon at its admin listener (admin.listen, with admin.token where one is set; root asks the \
            installed service's at its socket, without a token). If no daemon runs, the cache's folder is opened here, under its lock.
            """,
        subcommands: [
            CachePurge.self, CacheStats.self, CacheList.self, CacheVerify.self, CacheGC.self, Explain.self,
        ])
}

/// Arguments of every cache command.
struct CacheArguments: ParsableArguments {
    @Flag(help: "Print JSON, for programs.") var json = false

    @OptionGroup var settings: SettingsArguments

    /// Calls `work` with a service that asks the daemon or, if none runs, works on the cache's folder.
    func withService(_ work: (CacheService) throws -> Void) throws {
        settings.adoptUnit()
        let settings = try settings.loadForDaemon()
        try work(try CacheService.open(settings, disk: settings.diskConfiguration))
    }

    func show(_ report: some Encodable, _ lines: () -> [String]) {
        print(json ? ControlJSON.text(report) : lines().joined(separator: "\n"))
    }
}
