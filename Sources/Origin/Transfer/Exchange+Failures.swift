// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import SourceURLs

// What an end of a hop means: whose failure it is, and whether the request can be repeated.

extension Exchange {
    /// RFC 9112 §9.8: a picture over TLS without a length is complete only if TLS was closed properly. Otherwise an attacker who
    /// can cut the connection could cut the picture as well.
    var isCut: Bool {
        EasyHandle.overlooksCuts && origin.scheme == .https && !hop.hasCloseNotify
            && hop.head.endsWithConnection
            && body.isOpenEnded
    }

    /// How the request is repeated if its connection ended before its answer began, and libcurl did not repeat it; nil if it is
    /// not.
    ///
    /// Requests that lose one connection of HTTP/2 are repeated over one connection as well. If that one ends too, perhaps
    /// because of another request, each is repeated once more by itself, so that sharing costs no request its answer.
    /// - Parameter isKept: true if the connection had answered before, or multiplexes.
    func redial(after code: CURLcode, isMultiplexed: Bool, isKept: Bool) -> CurrentHop.Redial? {
        guard hop.head.status == 0 else { return nil }
        switch hop.redial {
        case .alone: return nil
        case .together: return code != CURLE_OK && hop.dial.isConnected ? .alone : nil
        case nil:
            if isKept, code.tellsLostConnection { return isMultiplexed ? .together : .alone }
            return isUnprocessed(code) ? .alone : nil
        }
    }

    /// True if a server of HTTP/2 has ended the request without processing it, so that it can be sent once more (RFC 9113 §6.8,
    /// §8.7), and libcurl has not repeated it.
    private func isUnprocessed(_ code: CURLcode) -> Bool {
        // If the connection ends together with the refused stream, libcurl 7.88 forgets the refusal and reports an empty answer.
        if hop.speaksHTTP2, code == CURLE_GOT_NOTHING { return true }
        return hop.isUnprocessed && !hop.hasRepeated && code.tellsLostConnection
    }

    /// True for failures of the network path rather than of the answer.
    static func isPassing(_ failure: DownloadFailure) -> Bool {
        failure == .brokenReply(.cutShort) || failure == .timedOut(.idle)
    }

    /// - Parameter words: libcurl's description, used if there is no other.
    func failed(_ failure: DownloadFailure, words: String? = nil) -> Step {
        countResumption(hasCome: false)
        var (reason, words) = (failure, words ?? easy.error)
        if failure == .timedOut(.connect), isCrowdedOut {
            (reason, words) = (.overloaded, "no connection to the host became free")
        }
        return .done(
            .failure(
                FailedDownload(
                    reason, at: trail.place, hops: trail.hops, words: words,
                    dependsOnURL: dependsOnURL(reason))))
    }

    /// True if other URLs of the origin may well be reached although this one is not.
    private func dependsOnURL(_ failure: DownloadFailure) -> Bool {
        // Once the request can be sent, an alert may be the answer to it: some servers demand a certificate for some URLs only.
        if failure == .tls, hop.dial.isConnected { return true }
        // No profile has a way to a store.
        return store == nil && context.configuration.hasOtherWays(to: origin, after: failure)
    }

    /// True if the hop has only waited for others, which use all connections to its origin. Redirects from several hosts to one
    /// origin, or several buckets of one store, bring more fetches there than the permits of one host allow. This does not count
    /// against the origin.
    private var isCrowdedOut: Bool { !hop.dial.hasBegun && context.connections.isAsked(origin) }

    func failure(for code: CURLcode) -> DownloadFailure {
        // With TLS 1.3, an origin that refuses the client's certificate, or the lack of one, says so only after the client's part
        // of the handshake (RFC 8446 §4.4.2.4), where libcurl waits for the answer already.
        if hop.hasFatalAlert, hop.head.status == 0, code.tellsLostConnection { return .tls }
        return switch hop.dial.problem(for: code, askedFor: trail.url.host) {
        case .failed(let failure): failure
        case .refused(let refusal): refused(by: refusal)
        }
    }
}
