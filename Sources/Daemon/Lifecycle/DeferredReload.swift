// SPDX-License-Identifier: Apache-2.0

internal import Endpoints
internal import Synchronization

/// The reloader, for listeners that open before it exists.
///
/// **Isolation:** a `Mutex`; the value is set once.
final class DeferredReload: Sendable {
    private let reloader = Mutex<Reloader?>(nil)

    func set(_ reloader: Reloader) { self.reloader.withLock { $0 = reloader } }

    /// Runs a reload, unless the daemon is still starting.
    @Sendable func run() async throws(ReloadRoute.Failure) -> ReloadReport {
        guard let reloader = reloader.withLock({ $0 }) else { throw .starting }
        return try await reloader.reload()
    }
}
