// SPDX-License-Identifier: Apache-2.0

internal import ServiceLifecycle

/// A part of the daemon that has to be closed in its turn: the service group closes its
/// services in the reverse of their order, one after the other.
struct ShutdownStep: Service, CustomStringConvertible {
    let description: String
    /// When the group runs and catches signals.
    var open: @Sendable () -> Void = {}
    let close: @Sendable () async -> Void

    init(_ name: String, close: @escaping @Sendable () async -> Void) {
        description = name
        self.close = close
    }

    func run() async throws {
        open()
        // Cancellation means the same as a graceful shutdown: close.
        try? await gracefulShutdown()
        await close()
    }
}
