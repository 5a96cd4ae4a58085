// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import SourceURLs

/// The state of an exchange's present hop. Each hop begins with a new value, so that nothing of the former hop is left; state
/// that outlives a hop is in the exchange.
///
/// **Isolation:** the network thread.
struct CurrentHop {
    /// How a hop repeats the one before, whose connection was dead or cannot be used.
    enum Redial {
        /// Over a connection that it may share with other hops, because requests that lose one connection of HTTP/2 together
        /// need not each dial.
        case together
        /// Over a new connection of its own, which no other request can have spoiled.
        case alone
    }

    // Decided at the hop's beginning: the origin of the request. Once the answer has redirected, the exchange's `origin` is
    // already the next hop's.
    let origin: SourceOrigin
    let started: Ticks
    /// How this hop repeats the one before; nil if it does not.
    let redial: Redial?
    /// The caching rule of the profile; nil for none.
    var rule: CacheControlRule?
    /// True if the profile keeps cookies.
    var keepsCookies = false
    /// True if an HTTP proxy reads the request and may answer in place of the origin.
    var asksProxy = false
    /// True if the request goes to a store, or behind a redirect of one, without the key that the store requires.
    var lacksKey = false
    /// True if the request carries the profile's credentials.
    var isAuthorized = false
    /// True if the hop may use HTTP/2.
    var multiplexes = true
    /// When the hop stops waiting for a connection that another hop makes; `.max` if it does not wait for one.
    var patienceEnd = Ticks.max

    // The connection: how the hop gets it.
    var dial: HopDial
    var connection: Connections.Connection?
    /// Connections that were opened for this hop.
    var sockets: [Connections.Connection] = []
    private var sentAt: Ticks
    /// True once libcurl has said that it keeps the connection, because the answer is complete.
    var isWhole = false
    /// True once libcurl has said that it received more bytes than the answer has.
    var isExceeded = false
    /// True once the origin has said over TLS that it will send no more (close_notify, RFC 8446 §6.1).
    var hasCloseNotify = false
    /// True once the origin has ended TLS because of an error.
    var hasFatalAlert = false
    /// True if the connection speaks HTTP/2.
    var speaksHTTP2 = false
    /// True once the server has said that it does not process the request as it was last sent.
    var isUnprocessed = false
    /// True once libcurl itself has repeated such a request, as it does if the stream was refused.
    private(set) var hasRepeated = false

    // The answer's head.
    var head: ReplyHead
    /// True if the head announced the end of this connection. While the rest of a body is fetched, `head` belongs to an earlier
    /// connection.
    private(set) var isConnectionsLast = false
    private var headAt: Ticks
    var discarded = DiscardedBody()
    /// True if nothing of the answer is used, so that nothing must be forgotten if it belongs to another request.
    var isDropped = false

    // The end of the hop: why a callback has stopped it.
    var failure: DownloadFailure?
    /// True if another hop to the same place must fetch the body from the start.
    var mustStartOver = false
    /// How the hop is repeated, because its connection is dead or cannot be used; nil if it is not.
    var mustRedial: Redial?

    init(to origin: SourceOrigin, redial: Redial? = nil, at now: Ticks, _ context: ExchangeContext) {
        self.origin = origin
        self.redial = redial
        (started, sentAt, headAt) = (now, now, now)
        dial = HopDial(to: "", isProxied: false, isStore: false, context)
        head = ReplyHead(
            byteLimit: context.configuration.headLimit, lineLimit: context.configuration.fieldLimit)
    }

    /// The most microseconds for which hops wait for a connection that another hop makes: most handshakes are over by then.
    private static let longestPatience: Ticks = 1_000_000

    /// Called if libcurl lets the hop wait until a connection that another hop makes tells whether it multiplexes.
    /// - Parameter timeout: how long the hop may wait for its connection in all.
    mutating func waitsForOthers(since now: Ticks, timeout: Ticks) {
        patienceEnd = now + min(Self.longestPatience, timeout / 2)
    }

    /// The time from the request to the answer's head.
    var wait: Ticks { headAt - sentAt }

    /// Called when the request goes out.
    mutating func connected(at now: Ticks) {
        if isUnprocessed, dial.isConnected { hasRepeated = true }
        isUnprocessed = false
        dial.connected()
        sentAt = now
    }

    mutating func headArrived(at now: Ticks) {
        headAt = now
        isConnectionsLast = head.isConnectionsLast
    }
}
