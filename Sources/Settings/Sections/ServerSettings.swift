// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// The public listener.
    package struct Server: Sendable, Equatable {
        /// `host:port`, `[v6]:port` or `unix:/path`.
        package var listen = ["127.0.0.1:8080"]
        /// The number of event loops; 0 for one per processor that this process may use.
        package var threads = 0
        /// The most open connections.
        package var maximumConnections = 20_000
        /// The limit between two requests on a connection.
        package var idleTimeout = Duration.seconds(75)
        /// The limit from the first byte of a request's head to its last.
        package var headTimeout = Duration.seconds(10)
        /// The time over which `sendRate` is measured.
        package var sendTimeout = Duration.seconds(30)
        /// The fewest bytes per second that a client must take; 0 for one byte within `sendTimeout`.
        package var sendRate = ByteCount(1 << 10)
        /// The most bytes of a request's head.
        package var maximumHead = ByteCount(16 << 10)
        /// The most bytes of a request's target.
        package var maximumTarget = ByteCount(8 << 10)
        /// The most field lines of a request.
        package var maximumFields = 100
        /// Proxies whose forwarding field is trusted: CIDR networks, addresses or `unix`.
        package var trustedProxies: [String] = []
        /// The only forwarding field that is read.
        package var clientField = ClientField.none
        /// True if every connection begins with a PROXY header.
        package var proxyProtocol = false
        /// True to answer health probes at the public listener as well.
        package var probes = false
        /// The time from SIGTERM to the beginning of the drain.
        package var drainDelay = Duration.seconds(0)
        /// The longest time from the beginning of the drain to the end of the last answer.
        package var drainTimeout = Duration.seconds(25)
    }
}

extension Setting {
    static let server: [Setting] = [
        Setting(
            "server.listen", \.server.listen, .atRestart(.listeners),
            "Addresses to listen on: host:port, [v6]:port, or unix:/path. A name stands for the first of its addresses: localhost may be ::1 alone. Sockets that systemd hands over replace them."
        ),
        .number(
            "server.threads", \.server.threads, .atRestart(.tables), 0...256,
            "Event loops; 0 = one for each processor that the process may use."),
        .number(
            "server.maximum-connections", \.server.maximumConnections, .atRestart(.tables), 1...1_000_000,
            "Open connections; more are answered 503. An idle one costs less than 4 KiB: 20,000 cost 80 MiB at most."
        ),
        .positive(
            "server.idle-timeout", \.server.idleTimeout, .live,
            "How long a connection may wait for its next request. This and the other times of a connection are up to an eighth longer, a little different for each connection, so that connections which began together do not end together."
        ),
        .positive(
            "server.head-timeout", \.server.headTimeout, .live,
            "How long the whole head of a request may take to arrive; after that the answer is a 408."),
        .positive(
            "server.send-timeout", \.server.sendTimeout, .live,
            "The time over which a client's reading of an answer is judged; see server.send-rate."),
        Setting(
            "server.send-rate", \.server.sendRate, .live,
            "Bytes a second that a client must take of an answer, on average over each server.send-timeout. The connection of a slower client is reset, because it holds the answer's memory meanwhile. 0B = a single byte in that time is enough. A modem takes 4 KiB a second; nginx and HAProxy ask for one byte in their time, Kestrel for 240 a second. While more than half of cache.held-disk or cache.held-memory is held, a client that reads a body held there must take a quarter of it in each server.send-timeout."
        ),
        .size(
            "server.maximum-head", \.server.maximumHead, .live, from: 1 << 10, to: 1 << 16,
            "Bytes of a request's head; more is a 431. nginx allows 32 KiB, Node 16. At 64KiB the limit is one byte less."
        ),
        .size(
            "server.maximum-target", \.server.maximumTarget, .live, from: 256, to: 1 << 16,
            "Bytes of a request's target (path and query), which server.maximum-head bounds too; more is a 414. A source URL may have 4 KiB and doubles when it is escaped."
        ),
        .number(
            "server.maximum-fields", \.server.maximumFields, .live, 10...1000,
            "Header fields in a request; more is a 431."),
        Setting(
            "server.trusted-proxies", \.server.trustedProxies, .live,
            "Networks (CIDR) of the proxies that Pictor believes when they say who their clients are; unix stands for a proxy on a unix socket."
        ),
        Setting(
            "server.client-field", \.server.clientField, .live,
            "The field into which trusted proxies write who their clients are. No other field counts, so it must be one that the proxies write and no client can. It is read from the right: the first address that is no trusted proxy's is the client's."
        ),
        Setting(
            "server.proxy-protocol", \.server.proxyProtocol, .atRestart(.protocolOfProxy),
            "Every connection comes from a proxy in server.trusted-proxies and begins with a header of the PROXY protocol, version 1 or 2. Any other connection is closed."
        ),
        Setting(
            "server.probes", \.server.probes, .live,
            "Answer /health/live and /health/ready at the public listener too, for a balancer that reaches no other. Their answers name no source."
        ),
        Setting(
            "server.drain-delay", \.server.drainDelay, .live,
            "After SIGTERM: how long Pictor goes on taking requests while /health/ready says 503. Set it to the time that a balancer needs to notice, if nothing else holds the listening socket; leave it at 0 where systemd's socket does."
        ),
        .positive(
            "server.drain-timeout", \.server.drainTimeout, .live,
            "After SIGTERM and server.drain-delay: how long answers under way may take to finish. systemd waits as long, because the daemon asks it to; the container image sets 8s, because Docker waits for 10 s."
        ),
    ]
}
