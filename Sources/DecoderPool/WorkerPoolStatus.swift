// SPDX-License-Identifier: Apache-2.0

/// The pool's numbers, for the metrics.
package struct WorkerPoolStatus: Sendable, Hashable {
    // The current state.

    /// Processes that have sent their handshake: idle, busy and spare ones.
    package var processes = 0
    /// Processes that have a job.
    package var busy = 0
    /// Jobs that wait for a process.
    package var waiting = 0
    /// Sandbox measures that are in force in the process that started last.
    package var measures = 0
    /// Measures that the kernel refused in that process, without optional ones.
    package var missingMeasures = 0

    // Counts since the pool started.

    /// Jobs that a process answered, with a picture or a refusal.
    package var answered = 0
    /// Jobs that found no ready process, because all were busy for callers that have gone, or were being
    /// replaced.
    package var waits = 0
    /// The sum of the prices in bytes of the answered jobs whose memory was measured.
    package var priced = 0
    /// The sum of these jobs' peak memory in bytes.
    package var peaks = 0
    /// Jobs that took more than their price.
    package var pricesExceeded = 0
    /// Processes that died with a job, or answered it with nonsense.
    package var crashes = 0
    /// Processes with a job that were killed from outside: by the kernel when memory ran out, or by hand.
    package var kills = 0
    /// Processes that the kernel killed for a system call that their jail forbids.
    package var forbidden = 0
    /// Processes killed at a job's deadline.
    package var timeouts = 0
    /// Processes killed because nobody waited for their job any more.
    package var abandoned = 0
    /// Processes that died without a job, or were killed because they computed without one.
    var idleDeaths = 0
    /// Processes replaced because of their age or size, or because they could not go on.
    package var recycled = 0
    /// Starts without a handshake.
    package var failedStarts = 0
    /// Processes that sent a handshake as a replacement of an earlier one.
    package var restarts = 0

    /// All counts at 0.
    package init() {}
}

extension WorkerPoolStatus {
    /// Counts the memory of an answered job.
    mutating func count(_ memory: JobMemory) {
        priced += memory.price
        peaks += memory.peak
        if memory.peak > memory.price { pricesExceeded += 1 }
    }

    /// Counts a process that has ended with its job, for this reason.
    mutating func count(_ reason: DecoderEvent.Reason) {
        switch reason {
        case .crashed: crashes += 1
        case .killed: kills += 1
        case .forbidden: forbidden += 1
        case .timedOut, .heldUp: timeouts += 1
        case .abandoned: abandoned += 1
        case .unfit: recycled += 1
        case .unasked, .idleDeath, .recycled, .shutDown: break
        }
    }
}
