// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Settings

struct Pictor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pictor",
        abstract: "An HTTP image proxy and resizing daemon.",
        version: Version.current,
        subcommands: [
            Serve.self, Check.self, Reload.self, Health.self, Cache.self, Explain.self, URLTools.self,
            Render.self, Warm.self, Doctor.self, Top.self, Bench.self, Reference.self,
        ]
    )

    /// The names of the commands without `SettingsArguments`.
    static let commandsWithoutSettings: Set = ["bench", "reference", "render", "url", "warm"]
}
