// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Synchronization

/// Detects that the disk hangs, on a thread that does not touch the disk.
extension DiskCache {
    /// Logs the health of the disk, also for the other thread, which may hang.
    func supervise() {
        var recorder = DiskHealthLog()
        var ticks = 0
        repeat {
            let milliseconds = ticks * configuration.watchInterval
            lookForHangs(at: milliseconds)
            let statistics = counters.statistics(of: nil)
            let failures = statistics.writeErrors + statistics.indexErrors
            if state.withLock(\.isToBeTold),
                let event = recorder.note(health, failures: failures, at: milliseconds / 1_000)
            {
                report(event)
            }
            if let dropped = counters.takeDropped() { report(.dropped(dropped)) }
            ticks += 1
        } while !isClosed.isSet(within: configuration.watchInterval)
    }

    /// Finds out whether a call lasts too long. Does not touch the disk.
    /// - Parameter now: milliseconds of a clock that never goes back.
    func lookForHangs(at now: Int) {
        let store = state.withLock { $0.store ?? $0.closing }
        let (patience, writePatience) = self.patience
        var longest = max(store?.longestCall(at: now) ?? 0, look.withLock { $0.look(at: now) })
        let write = store?.longestWrite(at: now) ?? 0
        if write >= writePatience { longest = max(longest, write) }
        let hangs = longest >= patience
        if !hangs { store?.goOn() }
        let hung = state.withLock { state in
            defer { (state.lookedAt, state.longestCall, state.hangs) = (now, longest, hangs) }
            return state.hangs
        }
        if hangs != hung {
            held.noteDisk(hangs: hangs)
            for follower in followers.withLock({ $0 }) { follower(hangs) }
        }
        guard hangs else { return }
        store?.giveUp(callsOf: patience)
        if !hung { releaseFiles() }
    }

    /// Milliseconds after which nobody waits any longer for a call, and for a call that writes the index; the second is never
    /// lower.
    private var patience: (call: Int, write: Int) {
        // At the end, the index's last writes may take all the time there is.
        if stop.withLock({ $0 }) { return (configuration.lastPatience, configuration.longestClose) }
        return (configuration.patience, configuration.writePatience)
    }

    /// Calls the follower from now on when the disk begins to hang and when it answers again, because the follower has files on
    /// the same disk. It must not wait.
    package func followHangs(_ follower: @escaping @Sendable (_ hangs: Bool) -> Void) {
        followers.withLock { $0.append(follower) }
    }

    /// Has the files closed from which answers in memory are sent, because an event loop that reads them or asks for their state
    /// would hang as well. Closing may hang, too, so a separate thread does it; there is at most one.
    private func releaseFiles() {
        guard !isReleasing.exchange(true, ordering: .relaxed) else { return }
        do throws(SystemError) {
            try WorkerThread("disk-release") { [self] in
                released(.all)
                isReleasing.store(false, ordering: .relaxed)
            }.detach()
        } catch {
            isReleasing.store(false, ordering: .relaxed)
        }
    }
}
