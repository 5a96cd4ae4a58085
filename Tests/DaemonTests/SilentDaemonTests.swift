// SPDX-License-Identifier: Apache-2.0

import Daemon
import Operator
import Settings
import Stores
import TestSupport
import Testing

@Suite("A daemon that stands still", .timeLimit(.minutes(1)))
struct SilentDaemonTests {
    @Test func `takes connections and says nothing, and is none to a command about the cache`() throws {
        let (server, folder) = (try LyingServer(""), TemporaryFolder())
        defer { server.close() }
        let settings = try SettingsLoader.load(
            flags: ["--admin-listen", "127.0.0.1:\(server.port)", "--cache-directory", folder.path],
            environment: [:], file: nil)
        let failure = #expect(throws: CommandFailure.self) {
            try CacheService.open(settings, disk: settings.diskConfiguration, patience: 1)
        }
        #expect(failure?.description.contains("no daemon answers") == true)
    }
}
