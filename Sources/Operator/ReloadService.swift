// SPDX-License-Identifier: Apache-2.0

package import Endpoints
package import Settings

/// Orders a reload at the admin listener.
package struct ReloadService: Sendable {
    private let client: DaemonClient

    /// - Parameter settings: settings that contain the daemon's admin listener and token.
    package init(_ settings: Settings) throws {
        guard !settings.adminAddresses.isEmpty else {
            throw CommandFailure("admin.listen is empty: send SIGHUP to the daemon instead")
        }
        client = DaemonClient(settings.adminAddresses, secret: try settings.adminSecret, timeout: 60)
    }

    /// Returns when the new settings are in force in the daemon.
    package func reload() throws -> ReloadReport {
        try client.send("POST", "/admin/reload").report()
    }
}
