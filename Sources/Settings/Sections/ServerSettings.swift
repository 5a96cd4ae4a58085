// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let server: [Setting] = [
        Setting(
            "server.listen", \.server.listen,
            "Addresses to listen on: host:port, [v6]:port, or unix:/path. Sockets handed over by systemd replace them."
        ),
        .number("server.threads", \.server.threads, 0...256, "Event loops; 0 = one per core."),
        .number(
            "server.maximum-connections", \.server.maximumConnections, 1...1_000_000,
            "Open connections; more are answered 503. An idle one costs less than 4 KiB: 20,000 cost 80 MiB at most."
        ),
        .positive(
            "server.idle-timeout", \.server.idleTimeout,
            "How long a connection may wait for its next request. Each connection's times here are longer by up to an eighth, so that those which came together do not end together."
        ),
        .positive(
            "server.head-timeout", \.server.headTimeout,
            "How long a request's head may take to arrive, whole."),
        .positive(
            "server.send-timeout", \.server.sendTimeout,
            "The time over which a client's reading of an answer is judged; see server.send-rate."),
        Setting(
            "server.send-rate", \.server.sendRate,
            "Bytes a second that a client must take of an answer, over each server.send-timeout, or the connection is reset: it holds the answer's memory meanwhile. 0B = a single byte will do. A modem takes 4 KiB; nginx and HAProxy ask for a byte, Kestrel for 240 a second."
        ),
        Setting(
            "server.maximum-head", \.server.maximumHead,
            "A request's head; more is a 431. nginx allows 32 KiB, Node 16.",
            where: { $0 >= ByteCount(1 << 10) && $0 <= ByteCount(1 << 20) }),
        Setting(
            "server.maximum-target", \.server.maximumTarget,
            "A request's target; more is a 414. A source URL may have 4 KiB and doubles when it is escaped.",
            where: { $0 >= ByteCount(256) && $0 <= ByteCount(1 << 16) }),
        .number(
            "server.maximum-fields", \.server.maximumFields, 10...1000,
            "Header fields in a request; more is a 431."),
        Setting(
            "server.trusted-proxies", \.server.trustedProxies,
            "Networks (CIDR) of proxies whose word about their clients counts; unix for a proxy on a unix socket."
        ),
        Setting(
            "server.client-field", \.server.clientField,
            "The field in which they keep book: the only one that counts, so it must be one that they write and no client can. From the right, the first address that is no trusted proxy's is the client."
        ),
        Setting(
            "server.proxy-protocol", \.server.proxyProtocol,
            "Every connection comes from a trusted proxy and begins with a PROXY protocol header, version 1 or 2. Any other is closed."
        ),
        Setting(
            "server.probes", \.server.probes,
            "Answer /health/live and /health/ready at the public listener too, for a balancer that reaches no other. Their answers name no source."
        ),
        Setting(
            "server.drain-delay", \.server.drainDelay,
            "After SIGTERM: how long requests are still taken, while /health/ready says 503. As long as a balancer needs to notice, where nothing takes the listening socket over; 0 with systemd's socket."
        ),
        .positive(
            "server.drain-timeout", \.server.drainTimeout,
            "After SIGTERM and server.drain-delay: how long answers under way may take to finish. The unit waits 35s; the image sets 8s, as Docker waits 10."
        ),
    ]

    static let admin: [Setting] = [
        Setting(
            "admin.listen", \.admin.listen,
            "Addresses of the admin listener (/health, /metrics, /admin): host:port or unix:/path; empty = none. Where a service manager made a folder for the daemon ($RUNTIME_DIRECTORY; the unit's is /run/pictor), the socket admin.sock in it is one more."
        ),
        Setting(
            "admin.token", \.admin.token,
            "Bearer token for /admin on a listener that is no unix socket, and for clients that may say Cache-Control. No flag; without it and admin.token-file, $CREDENTIALS_DIRECTORY/admin-token (systemd) where that exists."
        ),
        Setting("admin.token-file", \.admin.tokenFile, "A file that holds the token."),
        Setting(
            "admin.hosts", \.admin.hosts,
            "Names by which the admin listener may be asked for beside localhost, its addresses and the names in admin.listen: host or *.host. Any other Host is a 421, save for /health and whoever carries the token: a page could lead its own name here (DNS rebinding)."
        ),
        Setting(
            "admin.dashboard", \.admin.dashboard,
            "Serve the dashboard at /ui of the admin listener. The page itself is open; what it shows and does follows the rules for /admin."
        ),
    ]
}
