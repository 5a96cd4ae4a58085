// SPDX-License-Identifier: Apache-2.0

/// The numbers of the pool, for the metrics.
package struct DecoderPoolStatus: Sendable, Hashable {
    // Now.

    /// Processes that have sent their handshake: idle, busy and spare.
    package var processes = 0
    /// Processes that have a job.
    package var busy = 0
    /// Jobs that wait for a process.
    package var waiting = 0
    /// Sandbox measures that hold in the process that started last.
    package var measures = 0
    /// Measures of that jail that the kernel refused, optional ones left out.
    package var missingMeasures = 0

    // Since the pool started.

    /// Jobs that a process answered, with a picture or a refusal.
    package var answered = 0
    /// Jobs that found no process ready: all were at work for somebody who has gone, or being replaced.
    package var waits = 0
    /// Bytes of the prices of the answered jobs whose memory was measured, summed.
    package var priced = 0
    /// Bytes that those jobs took at their highest points, summed.
    package var peaks = 0
    /// Jobs that took more than their price.
    package var pricesExceeded = 0
    /// Processes that died, or spoke nonsense, with a job.
    package var crashes = 0
    /// Processes with a job that were killed from outside: by the kernel, out of memory, or by hand.
    package var kills = 0
    /// Processes that the kernel killed for a system call that their jail forbids.
    package var forbidden = 0
    /// Processes killed at a job's deadline.
    package var timeouts = 0
    /// Processes killed because nobody waited for their job any more.
    package var abandoned = 0
    /// Processes that died without a job.
    var idleDeaths = 0
    /// Processes replaced for their age or their size, or because they could not go on.
    package var recycled = 0
    /// Starts that brought no handshake.
    package var failedStarts = 0
    /// Processes that sent a handshake after the first of their place.
    package var restarts = 0

    /// All counts at 0.
    package init() {}
}
