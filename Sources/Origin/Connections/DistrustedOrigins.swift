// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// Origins whose connections are used in another way until a given time. `Connections` keeps two sets of them: origins with a
/// connection found out of step, where each request gets a connection of its own, because a server that sends an excess once does
/// so with every answer; and origins whose HTTP/2 answers have no length, which are asked over HTTP/1.1.
struct DistrustedOrigins {
    /// The number of origins held; beyond it, the one whose time ends first is dropped.
    private static let limit = 1024

    private var until: [SourceOrigin: Ticks] = [:]

    func contains(_ origin: SourceOrigin, at now: Ticks) -> Bool { until[origin].map { now < $0 } ?? false }

    mutating func insert(_ origin: SourceOrigin, until moment: Ticks, at now: Ticks) {
        until[origin] = moment
        guard until.count > Self.limit else { return }
        until = until.filter { now < $0.value }
        if until.count > Self.limit, let first = until.min(by: { $0.value < $1.value })?.key {
            until[first] = nil
        }
    }
}
