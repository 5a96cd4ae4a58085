// SPDX-License-Identifier: Apache-2.0

package import Endpoints
package import Settings

/// The order to reload, over the admin listener.
package struct ReloadService: Sendable {
    private let client: DaemonClient

    /// - Parameter settings: with the daemon's admin listener and token.
    package init(_ settings: Settings) throws {
        guard !settings.adminAddresses.isEmpty else {
            throw CommandFailure("admin.listen is empty: send SIGHUP to the daemon instead")
        }
        client = DaemonClient(settings.adminAddresses, secret: try settings.adminSecret, timeout: 60)
    }

    /// Returns when the daemon has the new settings in force.
    package func reload() throws -> ReloadReport {
        try client.send("POST", "/admin/reload").report()
    }
}
