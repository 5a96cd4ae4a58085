// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Logging
internal import Origin
internal import Platform
internal import Settings
internal import Synchronization

/// The stores' keys that the platform gives for a while: asked for at the start, and again before they end.
///
/// **Isolation:** a `Mutex`; the keys are asked for on a thread of their own.
final class StoreKeys: Sendable {
    private struct State {
        var source: KeySource?
        /// Nil for the system's.
        var authorities: AuthorityBundle?
        var renewal: Task<Void, Never>?
    }

    /// As they are now.
    let credentials = RenewedCredentials()

    private let logger: Logger
    private let state = Mutex(State())

    /// Asks nobody yet.
    init(logger: Logger) { self.logger = logger }

    /// Asks whom the settings and the environment name, from now on; returns once the first keys are there, or the first
    /// try has failed. Without a source, or with the one that is asked already, there is nothing to do.
    /// - Parameter authorities: those that vouch for it from the next question on.
    /// - Throws: if the source may not be asked.
    func serve(_ settings: Settings, _ authorities: AuthorityBundle?) async throws(UnusableSetting) {
        let source = try settings.keySource
        state.withLock { $0.authorities = authorities }
        guard source != state.withLock(\.source) else { return }
        let old = state.withLock { state in
            defer { (state.source, state.renewal) = (source, nil) }
            return state.renewal
        }
        old?.cancel()
        guard let source else { return }
        var schedule = KeySchedule()
        let first = await renew(from: source, &schedule, isFirst: true)
        let renewal = Task { [schedule] in
            var schedule = schedule
            var pause = first
            while await Self.rest(pause) {
                pause = await renew(from: source, &schedule, isFirst: false)
            }
        }
        state.withLock { $0.renewal = renewal }
    }

    /// - Returns: false if the task is cancelled.
    private static func rest(_ pause: Duration) async -> Bool {
        var pause = KeyPause(pause, from: SystemEnvironment.now())
        while let piece = pause.next(now: SystemEnvironment.now()) {
            guard (try? await Task.sleep(for: piece)) != nil else { return false }
        }
        return !Task.isCancelled
    }

    /// Asks nobody any more.
    func close() { state.withLock(\.renewal)?.cancel() }

    /// - Returns: the pause until the next time.
    private func renew(from source: KeySource, _ schedule: inout KeySchedule, isFirst: Bool) async -> Duration
    {
        let authorities = state.withLock(\.authorities)
        let result = await onOwnThread { [authorities] () -> Result<TemporaryKeys, TransferFailure> in
            Result { () throws(TransferFailure) in try KeyRequest.keys(from: source, authorities) }
        }
        switch result {
        case .success(let keys):
            let isWanted = state.withLock { state in
                // Another source may have been named meanwhile.
                guard state.source == source else { return false }
                credentials.replace(with: keys.credentials)
                return true
            }
            guard isWanted else { return .zero }
            if isFirst || schedule.isFailing {
                logger.notice("the platform gave keys for the store", metadata: ["by": "\(source.name)"])
            }
            return schedule.pause(afterKeysUntil: keys.end, now: SystemEnvironment.now())
        case .failure(let failure):
            if !schedule.isFailing {
                logger.error(
                    "the platform gives no keys for the store; Pictor asks it again and again",
                    metadata: ["by": "\(source.name)", "why": "\(failure.words)"])
            }
            return schedule.pauseAfterFailure()
        }
    }
}
