// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The downloader's totals since it was made.
package struct DownloadCounters: Sendable, Hashable {
    /// Fetches under way; the only number here that can fall.
    package var active = 0
    /// Fetches begun.
    package var fetches = 0
    /// Requests sent, including those for redirects.
    package var requests = 0
    /// Sockets made; further requests went over a kept or shared connection.
    package var connections = 0
    /// Resolved addresses that the policy refused.
    package var refusedAddresses = 0
    /// Bytes received of pictures' bodies (200 and 203).
    package var bodyBytes = 0
    /// Bodies that broke off and were completed by a request for the rest.
    package var resumed = 0
    /// Bodies that broke off and were fetched again from the start.
    package var restarted = 0
    /// Bodies that broke off and could not be completed by further requests.
    package var unresumed = 0
    /// Stalls of the network thread.
    package var stalls = 0
    /// Connections found out of step.
    package var outOfStep = 0
    /// Originals forgotten because their connection was, or may have been, out of step.
    package var forgotten = 0
    /// Fetches ended because they were slow while others waited for permits.
    package var gaveWay = 0
}

/// The atomics behind `DownloadCounters`.
///
/// **Isolation:** atomics.
final class AtomicDownloadCounters: Sendable {
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

    /// Counts a fetch as under way; false if there are `limit` already.
    func enter(limit: Int) -> Bool {
        guard active.add(1, ordering: .relaxed).newValue <= limit else {
            leave()
            return false
        }
        fetches.add(1, ordering: .relaxed)
        return true
    }

    func leave() { active.subtract(1, ordering: .relaxed) }

    var snapshot: DownloadCounters {
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
