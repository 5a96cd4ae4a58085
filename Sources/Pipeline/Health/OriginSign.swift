// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import ImageModel

/// What an exchange tells of the origin's health.
package enum OriginSign: Sendable, Hashable {
    /// It answered. What it says of one picture (a 404, a redirect, no picture at all) is nothing against it.
    case well
    /// It could not be asked: no address, no connection, no TLS. No URL can bring that about, whoever chooses it.
    case down
    /// One URL failed as it would if the origin were sick: no answer in time, a broken one, a 5xx. Some URLs always do,
    /// so each counts once in a row.
    case failed(url: Int)
    /// Nothing: the asker left, or we were not able to ask, or it was a 429, which speaks of how often we ask.
    case none
}

extension OriginSign {
    /// What an answer tells, whatever it is to those who asked.
    init(
        _ reply: OriginReply<some Sendable>, to request: OriginRequest, _ negative: NegativePolicy
    ) {
        guard case .refused(let status) = reply.payload else {
            self = .well
            return
        }
        switch status {
        case 429: self = .none
        // RFC 9110 §15.6.2, §15.6.6: about the method and the version.
        case 501, 505: self = .well
        case 500...599 where reply.fields["Retry-After"] != nil || !Self.isMeant(status, reply, negative):
            self = .failed(url: request.source.key.hashValue)
        default: self = .well
        }
    }

    /// An error that comes with a lifetime was made by somebody who is well.
    private static func isMeant(
        _ status: Int, _ reply: OriginReply<some Sendable>, _ negative: NegativePolicy
    ) -> Bool {
        let verdict = negative.verdict(
            onStatus: status, fields: reply.fields, requestTime: reply.requestTime,
            responseTime: reply.responseTime)
        if case .known(let seconds) = verdict { return seconds > 0 }
        return false
    }

    init(_ exchange: FailedExchange, to request: OriginRequest) {
        switch exchange.failure {
        case .nameNotResolved, .cannotConnect, .tls: self = .down
        case .timedOut where !exchange.hasConnected: self = .down
        case .timedOut, .brokenReply: self = .failed(url: request.source.key.hashValue)
        case .tooLarge, .tooManyRedirects, .unusableReply, .undecodableContent: self = .well
        case .sourceRefused, .overloaded, .unavailable, .cancelled: self = .none
        }
    }
}
