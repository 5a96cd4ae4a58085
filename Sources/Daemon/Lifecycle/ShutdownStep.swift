// SPDX-License-Identifier: Apache-2.0

internal import ServiceLifecycle

/// A part of the daemon with a place in the order of shutdown: the service group closes its services one
/// after the other, from the last to the first.
struct ShutdownStep: Service, CustomStringConvertible {
    let description: String
    /// Runs when the service group catches signals.
    var open: @Sendable () -> Void = {}
    /// How long the step may take, evaluated when it begins; zero for a step that takes almost no time.
    private let longest: @Sendable () -> Duration
    private let close: @Sendable () async -> Void

    init(
        _ name: String, atMost longest: @escaping @autoclosure @Sendable () -> Duration = .zero,
        close: @escaping @Sendable () async -> Void
    ) {
        description = name
        self.longest = longest
        self.close = close
    }

    /// A step that blocks, on a thread of its own. After `limit` the shutdown goes on without it, because the disk may hang.
    static func blocking(
        _ name: String, atMost limit: Duration, _ work: @escaping @Sendable () -> Void
    ) -> ShutdownStep {
        ShutdownStep(name, atMost: limit) { await onOwnThread(atMost: limit, work) }
    }

    func run() async throws {
        open()
        // A cancellation counts as a graceful shutdown.
        try? await gracefulShutdown()
        let longest = self.longest()
        // All steps together may take longer than the service manager waits.
        if longest > .zero { ServiceNotifier.extend(by: longest) }
        await close()
    }
}
