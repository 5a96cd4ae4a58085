// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// Origins that are asked otherwise for a while. To one with a connection found out of step each request gets a connection of its
/// own, because a server that sends an excess once does so with every answer.
struct DistrustedOrigins {
    /// Origins held; beyond the limit, the one that is nearest to its end is trusted again.
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
