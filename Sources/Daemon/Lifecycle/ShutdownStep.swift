// SPDX-License-Identifier: Apache-2.0

internal import ServiceLifecycle

/// A part of the daemon with a place in the order of shutdown: the service group closes its services one
/// after the other, from the last to the first.
struct ShutdownStep: Service, CustomStringConvertible {
    let description: String
    /// Runs when the group catches signals.
    var open: @Sendable () -> Void = {}
    let close: @Sendable () async -> Void

    init(_ name: String, close: @escaping @Sendable () async -> Void) {
        description = name
        self.close = close
    }

    func run() async throws {
        open()
        // A cancellation is handled as a graceful shutdown.
        try? await gracefulShutdown()
        await close()
    }
}
