// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import SourceURLs

/// All that an exchange knows of the hop that is under way. Each hop has a new one, so that nothing of a former hop is left over;
/// what outlives a hop is the exchange's own.
///
/// **Isolation:** the network thread.
struct CurrentHop {
    // Decided as it begins.
    /// Whom it asks; the exchange's `origin` is the next one's once the answer has redirected.
    let origin: SourceOrigin
    let started: Ticks
    /// True if it repeats the hop before over a new connection.
    let isRedial: Bool
    /// The profile's; nil for none.
    var rule: CacheControlRule?
    /// By its profile.
    var keepsCookies = false
    /// True if an HTTP proxy reads its request, and may answer in the origin's place.
    var asksProxy = false
    /// True if its store, or where that redirects to, has to be asked without a key.
    var lacksKey = false
    /// True if its profile's credentials are shown.
    var isAuthorized = false
    /// True if it may be asked over HTTP/2.
    var multiplexes = true

    // Its connection.
    var dial: HopDial
    var connection: Connections.Connection?
    /// Those that were opened for it.
    var sockets: [Connections.Connection] = []
    private var sentAt: Ticks
    /// True once libcurl has said that it keeps the connection, for the answer is whole.
    var isWhole = false
    /// True once libcurl has said that more came than the answer has.
    var isExceeded = false
    /// True once the origin has said over TLS that it sends no more (close_notify, RFC 8446 §6.1).
    var hasCloseNotify = false

    // Its answer.
    var head: ReplyHead
    /// True if the head announced the end of this connection. Of a rest, `head` is of another one.
    private(set) var isConnectionsLast = false
    private var headAt: Ticks
    var discarded = DiscardedBody()
    /// Nothing of the answer is used, so that nothing has to be forgotten should it be another's.
    var isDropped = false

    // Its end.
    /// Why a callback has stopped it.
    var failure: DownloadFailure?
    /// The body is fetched anew, by another hop to the same place.
    var mustStartOver = false
    /// The connection that libcurl chose is unusable; the hop is repeated over a new one.
    var mustRedial = false

    init(to origin: SourceOrigin, isRedial: Bool = false, at now: Ticks, _ context: ExchangeContext) {
        self.origin = origin
        self.isRedial = isRedial
        (started, sentAt, headAt) = (now, now, now)
        dial = HopDial(to: "", isProxied: false, isStore: false, context)
        head = ReplyHead(
            byteLimit: context.configuration.headLimit, lineLimit: context.configuration.fieldLimit)
    }

    /// From the request to its answer's head.
    var wait: Ticks { headAt - sentAt }

    /// The request goes out.
    mutating func connected(at now: Ticks) {
        dial.connected()
        sentAt = now
    }

    mutating func headArrived(at now: Ticks) {
        headAt = now
        isConnectionsLast = head.isConnectionsLast
    }
}
