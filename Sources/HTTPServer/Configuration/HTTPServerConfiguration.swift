// SPDX-License-Identifier: Apache-2.0

package import HTTP1

/// How a server serves. Times are milliseconds. Each connection's times are longer by up to an eighth (`Deadline`), and are kept by a
/// timer wheel with steps of `tick`, so a deadline passes up to two steps later still, and never early.
package struct HTTPServerConfiguration: Sendable, Hashable {
    /// Addresses to listen on; without any, `start` throws `.noListeners`.
    package var listeners: [ListenAddress]

    /// Event loops, each with a thread. One for each core is usual.
    package var loops = 1

    /// The most bytes and fields of a request.
    package var limits = ParserLimits()

    /// True if the content of requests reaches the handler. If false, it is read within the limits and dropped.
    package var keepsBodies = false

    /// Open connections in all. Beyond, a new one gets the 503 of `tooManyConnections` and is closed.
    ///
    /// Sketch: an idle connection takes about 80 bytes here, so descriptors and the kernel's own memory are the bound.
    package var maximumConnections = 20_000

    /// A new connection whose descriptor has this number or a higher one is turned away. The kernel gives out the lowest free
    /// numbers, so this keeps the rest for the files and sockets that open connections need. 0: no limit.
    package var descriptorLimit = 0

    /// Open connections of one client that connects directly. Connections of a trusted proxy are not counted, because it is not known
    /// whose they are, unless the PROXY protocol names the client. Beyond, a new one gets the 429 of `tooManyConnectionsOfClient` and
    /// is closed. 0: no limit.
    package var connectionsPerClient = 0

    /// Bits of an IPv6 address that identify a client.
    package var ipv6Prefix = 64

    /// The rule that determines the client of a request.
    package var clientRule = ClientRule()

    /// True if every connection begins with a header of the PROXY protocol, and must come from a trusted proxy. The header is read
    /// within `headTimeout`. A connection without a valid header is closed without an answer, because by guessing anybody could claim
    /// any address.
    package var expectsProxyHeader = false

    /// The time from one refusal (429, 503) of a loop to its next, because each costs the loop some 0.1 ms. Refusals that are ready
    /// sooner are delayed (`RefusalLimiter`).
    package var refusalInterval = 2

    /// Refusals that may be sent at once after a quiet time, before any is delayed.
    package var refusalsAtOnce = 50

    /// The longest delay of a refusal: the shortest wait that a refusal asks of its client.
    package var longestHold = 1000

    /// Connections in all on which a refusal is delayed; beyond, refusals are sent at once. A proxy may send many clients' requests,
    /// and needs free connections for those that are not refused.
    var delayedConnections: Int { maximumConnections / 4 }

    /// Requests of one connection; the answer to the last one closes it, so that a balancer can distribute clients anew.
    package var requestsPerConnection = 1_000_000

    /// The time without a request after which a connection is closed. Longer than the 60 s of balancers, so that they close first,
    /// and no request crosses the close.
    package var idleTimeout = 75_000

    /// The time without a request after which a drain closes the connection. A client that has just connected, or is just sending its
    /// next request, still gets an answer, and is told that the connection ends. Longer than a round trip around the world, and than
    /// a busy client's pause between connecting and sending.
    package var farewellTimeout = 500

    /// The time from accept to the first head's end, and from a later head's first byte to its end. Bytes that arrive do not extend
    /// it.
    package var headTimeout = 10_000

    /// The time from a head's end to its body's end. Bytes that arrive do not extend it. 64 KiB at a modem's 4 KiB/s take 16 s.
    package var bodyTimeout = 20_000

    /// How long a client may take for `progressBytes` of an answer before it is given up.
    package var progressTimeout = 30_000

    /// Bytes that the kernel must have taken from us within `progressTimeout`: about 1 KiB/s. The kernel takes only what the client
    /// takes, and 64 KiB more, so an answer's memory is held at most for its length at that rate.
    package var progressBytes = 30_720

    /// Bytes of a streamed answer that the kernel keeps for a client that does not read (SO_SNDBUF, which counts them twice). If they
    /// stay full for `progressTimeout`, the client is given up.
    package var streamBuffer = 32_768

    /// How long a connection that we closed is still read from, so that a reset does not destroy the last answer (RFC 9112 §9.6).
    package var lingerTimeout = 2_000

    /// The step of the timers.
    package var tick = 100

    /// The defaults for everything except the addresses.
    package init(listeners: [ListenAddress]) { self.listeners = listeners }

    /// Takes over the settings that may change while connections are open: times, limits of requests, and the rule about clients.
    mutating func takeLive(from new: HTTPServerConfiguration) {
        (limits, clientRule) = (new.limits, new.clientRule)
        (idleTimeout, headTimeout) = (new.idleTimeout, new.headTimeout)
        (progressTimeout, progressBytes) = (new.progressTimeout, new.progressBytes)
        // Changes with the descriptors that requests may take; applies to later connections.
        descriptorLimit = new.descriptorLimit
    }
}
