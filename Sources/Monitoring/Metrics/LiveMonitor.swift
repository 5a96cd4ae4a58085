// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import Kernel

/// Samples the daemon each second: adds to the history and broadcasts an event.
package struct LiveMonitor: Sendable {
    /// The modules' numbers.
    package let gauges: Gauges
    /// The last hour and day.
    package let history = History()
    /// Broadcasts the event of each second.
    package let broadcast = LiveBroadcast(limit: Self.readers)

    /// The most event streams at a time.
    private static let readers = 64
    /// The part of the counts of targets and origins that is left after a minute: a request of ten minutes ago counts a third.
    private static let fading = 0.9

    package init(gauges: Gauges) { self.gauges = gauges }

    /// - Parameters:
    ///   - second: the second, by a clock that never goes back.
    ///   - event: makes the event with this number; called only while there are readers.
    package func look(at second: Int, event: (UInt64) -> ImmutableBytes) {
        history.add(gauges.historyReading, at: second)
        if second % 60 == 0 {
            gauges.recorder.topTargets.fade(to: Self.fading)
            gauges.recorder.origins.fade(to: Self.fading)
        }
        if broadcast.readers > 0 { broadcast.publish(event) }
    }
}
