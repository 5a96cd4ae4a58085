// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What the downloader has done since it was made.
package struct DownloadCounters: Sendable, Hashable {
    /// Fetches whose caller is still waiting.
    package var active = 0
    /// Fetches begun.
    package var fetches = 0
    /// Requests sent: fetches and redirects.
    package var requests = 0
    /// Sockets made; requests beyond that went over a kept or shared connection.
    package var connections = 0
    /// Resolved addresses that the policy did not let be dialled.
    package var refusedAddresses = 0
    /// Bytes of 200 bodies.
    package var bodyBytes = 0
    /// Bodies that broke off: those whose rest came, those that came whole once more, and those of which neither did
    /// although it was asked for.
    package var resumed = 0
    package var restarted = 0
    package var unresumed = 0
    /// Times that the network thread was found to stand still.
    package var stalls = 0
    /// Connections found out of step, and the originals that were forgotten for them.
    package var outOfStep = 0
    package var forgotten = 0
    /// Fetches ended because they were slow and others waited for their slots.
    package var gaveWay = 0
}

/// **Isolation:** atomics.
final class Tally: Sendable {
    private let active = Atomic<Int>(0)
    private let fetches = Atomic<Int>(0)
    let requests = Atomic<Int>(0)
    let connections = Atomic<Int>(0)
    let refusedAddresses = Atomic<Int>(0)
    let bodyBytes = Atomic<Int>(0)
    let resumed = Atomic<Int>(0)
    let restarted = Atomic<Int>(0)
    let unresumed = Atomic<Int>(0)
    let stalls = Atomic<Int>(0)
    let outOfStep = Atomic<Int>(0)
    let forgotten = Atomic<Int>(0)
    let gaveWay = Atomic<Int>(0)

    /// False when `limit` are in already.
    func enter(limit: Int) -> Bool {
        guard active.add(1, ordering: .relaxed).newValue <= limit else {
            leave()
            return false
        }
        fetches.add(1, ordering: .relaxed)
        return true
    }

    func leave() { active.subtract(1, ordering: .relaxed) }

    var counters: DownloadCounters {
        DownloadCounters(
            active: active.load(ordering: .relaxed), fetches: fetches.load(ordering: .relaxed),
            requests: requests.load(ordering: .relaxed), connections: connections.load(ordering: .relaxed),
            refusedAddresses: refusedAddresses.load(ordering: .relaxed),
            bodyBytes: bodyBytes.load(ordering: .relaxed), resumed: resumed.load(ordering: .relaxed),
            restarted: restarted.load(ordering: .relaxed), unresumed: unresumed.load(ordering: .relaxed),
            stalls: stalls.load(ordering: .relaxed),
            outOfStep: outOfStep.load(ordering: .relaxed), forgotten: forgotten.load(ordering: .relaxed),
            gaveWay: gaveWay.load(ordering: .relaxed))
    }
}
