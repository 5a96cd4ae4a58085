// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Logging
internal import Origin
internal import Platform
internal import Settings
internal import Synchronization

/// Gets temporary keys for stores from the platform: at the start, and again before they expire.
///
/// **Isolation:** a `Mutex` guards the state; keys are requested on a separate thread.
final class StoreKeys: Sendable {
    private struct State {
        var source: KeySource?
        /// Nil for the system's authorities.
        var authorities: AuthorityBundle?
        var renewal: Task<Void, Never>?
    }

    /// The present keys.
    let credentials = RenewedCredentials()

    private let logger: Logger
    private let state = Mutex(State())

    /// Requests nothing yet.
    init(logger: Logger) { self.logger = logger }

    /// Has these keys sign the requests for originals, if the settings name no others for them.
    func sign(_ configuration: inout OriginConfiguration, by settings: Settings) throws(UnusableSetting) {
        if try settings.signsOriginalsByPlatform { configuration.store?.renewed = credentials }
    }

    /// Requests keys from the source that the settings and the environment name, from now on. Returns once the first keys have
    /// come or the first attempt has failed. Does nothing if the source has not changed.
    /// - Parameter authorities: the authorities that are trusted for the source from the next request on.
    /// - Throws: if the source must not be asked.
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
            while await rest(pause, &schedule, sleep: { try await Task.sleep(for: $0) }) {
                pause = await renew(from: source, &schedule, isFirst: false)
            }
        }
        state.withLock { $0.renewal = renewal }
    }

    /// Waits until the pause is over, or a store refuses the present keys.
    /// - Parameter sleep: waits for a piece of the pause; throws if the task is cancelled.
    /// - Returns: false if the task is cancelled.
    func rest(
        _ pause: Duration, _ schedule: inout KeySchedule, sleep: @Sendable (Duration) async throws -> Void
    ) async -> Bool {
        var pause = KeyPause(pause, from: SystemEnvironment.now(), patience: schedule.patience)
        while let piece = pause.next(now: SystemEnvironment.now(), areRefused: credentials.refusal != nil) {
            guard (try? await sleep(piece)) != nil else { return false }
        }
        let refusal = credentials.refusal
        if schedule.noteRest(areRefused: refusal != nil, areProven: pause.areProven), let refusal {
            logger.warning(
                "a store refuses the platform's keys as ended or unknown; the platform is asked for others",
                metadata: ["why": "\(refusal)"])
        }
        return !Task.isCancelled
    }

    /// Stops requesting keys.
    func close() { state.withLock(\.renewal)?.cancel() }

    /// - Returns: the pause until the next request.
    private func renew(from source: KeySource, _ schedule: inout KeySchedule, isFirst: Bool) async -> Duration
    {
        let authorities = state.withLock(\.authorities)
        let result = await onOwnThread { [authorities] () -> Result<TemporaryKeys, TransferFailure> in
            Result { () throws(TransferFailure) in try KeyRequest.keys(from: source, authorities) }
        }
        switch result {
        case .success(let keys):
            // Nil if the settings have named another source meanwhile.
            let areOther: Bool? = state.withLock { state in
                state.source == source ? credentials.replace(with: keys.credentials) : nil
            }
            guard let areOther else { return .zero }
            if isFirst || schedule.isFailing {
                logger.notice("the platform gave keys for the store", metadata: ["by": "\(source.name)"])
            }
            return schedule.pause(
                afterKeysUntil: keys.end, now: SystemEnvironment.now(), areOther: areOther)
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
