// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import SourceURLs

/// The meaning of one exchange for the origin's health.
package enum HealthSignal: Sendable, Hashable {
    /// The origin answered. An answer about one picture (a 404, a redirect, no picture) is not held against it.
    case well
    /// The origin could not be asked: no address, no connection, no TLS. No client can cause this by its choice of
    /// URL.
    case down
    /// A URL failed as if the origin failed: no answer in time, a broken one, a 5xx, or no connection where other URLs may
    /// well have one. Some URLs always fail, so each URL counts once in a row of failures. `url` is a hash.
    case failed(url: Int)
    /// No meaning: the asker left, nothing could be sent, or a 429 only concerns the rate of requests.
    case none
}

extension HealthSignal {
    /// The signal of an answer.
    init(
        _ reply: OriginReply<some Sendable>, to request: OriginRequest, _ negative: NegativePolicy
    ) {
        guard case .refused(let status) = reply.payload else {
            self = .well
            return
        }
        let row = PipelineFailure.Reason.originStatus(status, retryAfter: nil).row
        self.init(row.health, of: request, isMeant: Self.isMeant(status, reply, negative))
    }

    /// True for an error with a lifetime of its own and without `Retry-After`, which only a healthy origin sends.
    private static func isMeant(
        _ status: Int, _ reply: OriginReply<some Sendable>, _ negative: NegativePolicy
    ) -> Bool {
        guard reply.fields["Retry-After"] == nil else { return false }
        var transit = reply.transit
        (transit.redirects, transit.isAuthorized) = ([], false)
        let verdict = negative.verdict(onStatus: status, fields: reply.fields, by: transit)
        if case .known(let seconds) = verdict { return seconds > 0 }
        return false
    }

    init(_ exchange: FailedExchange, to request: OriginRequest) {
        self.init(exchange.failure.row.health, of: request, hasConnected: exchange.hasConnected)
        if self == .down, exchange.dependsOnURL { self = Self.failure(of: request) }
    }

    private static func failure(of request: OriginRequest) -> HealthSignal {
        .failed(url: request.source.bareKey.hashValue)
    }

    private init(
        _ health: FailureRow.Health, of request: OriginRequest, hasConnected: Bool = true,
        isMeant: @autoclosure () -> Bool = false
    ) {
        let failed = Self.failure(of: request)
        switch health {
        case .none: self = .none
        case .well: self = .well
        case .down: self = .down
        case .failed: self = failed
        case .downUnlessConnected: self = hasConnected ? failed : .down
        case .failedUnlessMeant: self = isMeant() ? .well : failed
        }
    }
}
