// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension FleetNews {
    /// Waits until this node has carried out every purge in the stream. Gives up when nothing was carried out for `limit`,
    /// because Redis is silent or a purge cannot be carried out.
    /// - Returns: false if it gave up.
    package func catchUp(within limit: Duration) async -> Bool {
        let before = statistics.received
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        let isComplete = await withCheckedContinuation { continuation in
            let isAtEnd = reading.withLock { reading in
                if !reading.isAtEnd { reading.waiting.append(continuation) }
                return reading.isAtEnd
            }
            if isAtEnd { return continuation.resume(returning: true) }
            timer = Task { await self.watch(limit, before) }
        }
        environment.report(
            isComplete
                ? .caughtUp(purges: statistics.received - before)
                : .behind(isSilent: !reading.withLock { $0.isReported }))
        return isComplete
    }

    /// Ends the wait of `catchUp` when nothing was carried out for `limit`.
    private func watch(_ limit: Duration, _ before: Int) async {
        var (seen, isReported) = (0, false)
        while true {
            try? await Task.sleep(for: limit)
            if Task.isCancelled { return }
            // A purge that has failed before is tried again and again; it is no reason to go on waiting.
            let (steps, isBusy) = reading.withLock { ($0.steps, $0.isBusy && !$0.isReported) }
            guard isBusy || steps > seen else { break }
            seen = steps
            if !isReported { environment.report(.catchingUp(purges: statistics.received - before)) }
            isReported = true
        }
        endCatchUp(isComplete: false)
    }

    /// Resumes the callers of `catchUp`.
    func endCatchUp(isComplete: Bool) {
        for continuation in reading.withLock({ exchange(&$0.waiting, with: []) }) {
            continuation.resume(returning: isComplete)
        }
    }
}
