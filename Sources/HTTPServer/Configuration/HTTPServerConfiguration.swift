// SPDX-License-Identifier: Apache-2.0

package import HTTP1

/// How a server serves. Times are milliseconds; each connection's are longer by up to an eighth (`Deadline`),
/// and kept by a wheel with steps of `tick`, so a deadline passes up to two steps later still, and never
/// early.
package struct HTTPServerConfiguration: Sendable, Hashable {
    /// Addresses to listen on; without any, `start` throws `.noListeners`.
    package var listeners: [ListenAddress]

    /// Event loops, a thread each. One a core.
    package var loops = 1

    /// Bytes and counts that a request may have.
    package var limits = ParserLimits()

    /// Whether requests' content reaches the handler. If not, it is read within the limits and dropped.
    package var keepsBodies = false

    /// Connections in all. Beyond, a new one gets the 503 of `tooManyConnections` and is closed.
    ///
    /// Sketch: an idle one costs about 80 bytes here, so descriptors and the kernel's own memory are what bounds it.
    package var maximumConnections = 20_000

    /// Connections whose descriptor has this number or a higher one are turned away: the kernel gives out the
    /// lowest that are free, so this keeps the rest for what those inside take. 0: all are taken.
    package var descriptorLimit = 0

    /// Open connections of one client, where it connects by itself: behind a trusted proxy it is not known whose they
    /// are, unless the PROXY protocol says so. Beyond, a new one gets the 429 of `tooManyConnectionsOfClient` and is
    /// closed. 0: no limit.
    package var connectionsPerClient = 0

    /// Bits of an IPv6 address that make a client.
    package var ipv6Prefix = 64

    /// The rule by which the client of a request is known.
    package var clientRule = ClientRule()

    /// Every connection begins with a header of the PROXY protocol, and comes from one of the trusted proxies. It is
    /// read within `headTimeout`; a connection that begins otherwise is closed without an answer, because a guess would
    /// let anybody name any address.
    package var expectsProxyHeader = false

    /// From one refusal (429, 503) of a loop to its next; each costs it some 0.1 ms. Those that are ready sooner are
    /// delayed (`RefusalLimiter`).
    package var refusalInterval = 2

    /// Refusals that leave together after a quiet time, before any is delayed.
    package var refusalsAtOnce = 50

    /// How long a refusal is delayed at most: as long as it asks its client to wait at least.
    package var longestHold = 1000

    /// Connections in all on which a refusal is delayed; beyond, refusals leave at once. A proxy may send many clients'
    /// requests, and is to find room for those of the others.
    package var delayedConnections: Int { maximumConnections / 4 }

    /// Requests of one connection; the last one's answer closes it, so that a balancer can spread clients anew.
    package var requestsPerConnection = 1_000_000

    /// Without a request, before the connection is closed. Longer than the 60 s that balancers keep theirs, so that
    /// they close first and no request crosses a close.
    package var idleTimeout = 75_000

    /// Without a request, before a drain closes the connection: a client that has just connected, or that sends its next
    /// request at this moment, is answered, and told that the connection ends. Longer than a round trip around the world, and
    /// than a busy client's pause between connecting and sending.
    package var farewellTimeout = 500

    /// From accept to the first head's end, and from a later head's first byte to its end. It does not move.
    package var headTimeout = 10_000

    /// From a head's end to its body's end. It does not move. 64 KiB at a modem's 4 KiB/s take 16 s.
    package var bodyTimeout = 20_000

    /// How long a client may take for `progressBytes` of an answer before it is given up.
    package var progressTimeout = 30_000

    /// Bytes the kernel must have taken from us within `progressTimeout`: about 1 KiB/s. It takes no more than a client
    /// does, and 64 KiB; so an answer's memory is held for its length at that rate at most.
    package var progressBytes = 30_720

    /// Bytes of a streamed answer that the kernel keeps for a client that does not read (SO_SNDBUF, which counts them
    /// twice). With these full for `progressTimeout`, the client is given up.
    package var streamBuffer = 32_768

    /// How long a connection that we closed is read from, so that a reset does not eat the last answer
    /// (RFC 9112 §9.6).
    package var lingerTimeout = 2_000

    /// The step of the timers.
    package var tick = 100

    /// The defaults for everything but the addresses.
    package init(listeners: [ListenAddress]) { self.listeners = listeners }

    /// Takes over what may change while connections are open: times, limits of requests, and by what clients are known.
    mutating func takeLive(from new: HTTPServerConfiguration) {
        (limits, clientRule) = (new.limits, new.clientRule)
        (idleTimeout, headTimeout) = (new.idleTimeout, new.headTimeout)
        (progressTimeout, progressBytes) = (new.progressTimeout, new.progressBytes)
        // It moves with what requests may take, for the connections to come.
        descriptorLimit = new.descriptorLimit
    }
}
