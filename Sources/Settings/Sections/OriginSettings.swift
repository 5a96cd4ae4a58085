// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// Fetches from origins.
    package struct Origin: Sendable, Equatable {
        /// The limit for name resolution, TCP and TLS together.
        package var connectTimeout = Duration.seconds(5)
        /// The limit from the request to the first byte of its answer.
        package var firstByteTimeout = Duration.seconds(15)
        /// The limit between two reads of an answer.
        package var idleTimeout = Duration.seconds(10)
        /// The limit for a fetch, redirects included.
        package var timeout = Duration.seconds(30)
        /// The most bytes of an original.
        package var maximumBody = ByteCount(64 << 20)
        /// The most redirects of one fetch.
        package var maximumRedirects = 5
        /// The most fetches under way.
        package var maximumFetches = 128
        /// The most fetches under way from one host.
        package var maximumFetchesPerHost = 32
        /// The most fetches begun per second from one host; 0 for no limit.
        package var maximumRatePerHost = 0.0
        /// The most fetches that wait for a permit.
        package var queueLength = 1024
        /// How long a fetch waits for a permit.
        package var queueTimeout = Duration.seconds(10)
        /// The number of failures in a row after which a host rests; 0 for never.
        package var restAfter = 10
        /// The first rest of a host.
        package var firstRest = Duration.seconds(1)
        /// The longest rest of a host.
        package var longestRest = Duration.seconds(30)
        /// The most requests for the rest of one broken body.
        package var resumptions = 2
        /// How long the network thread may stall before the daemon ends.
        package var stallLimit = Duration.seconds(30)
        /// True to permit loopback, private, link-local and other special addresses.
        package var allowPrivate = false
        /// CIDR networks that are permitted although they are special.
        package var allowNetworks: [String] = []
        /// CIDR networks that are denied.
        package var denyNetworks: [String] = []
        /// `host` or `*.host`; empty for all, unless `allowUrls` is set.
        package var allowHosts: [String] = []
        /// `host` or `*.host`, denied.
        package var denyHosts: [String] = []
        /// URL prefixes; empty for all, unless `allowHosts` is set.
        package var allowUrls: [String] = []
        /// URL prefixes, denied.
        package var denyUrls: [String] = []
        /// Permitted ports and ranges of ports.
        package var ports = ["80", "443", "1024-65535"]
        /// Paths of PEM files with certificate authorities that are trusted for origins besides the system's.
        package var certificateAuthorities: [String] = []
        /// http://host:port or socks5://host:port; empty for none.
        package var proxy = ""
        /// The user and password for the proxy.
        package var proxyCredentials = ProxyCredentials.none
        /// `host` or `*.host`, asked without the proxy.
        package var proxyExcept: [String] = []
        /// The folders that `file://name/…` URLs name.
        package var files = NamedPlaces()
        /// The URL prefixes for which `name/…` stands.
        package var aliases = NamedPlaces()
        /// The path of the file with profiles; empty for none.
        package var profiles = ""
        /// The value of `User-Agent`.
        package var userAgent = "Pictor/\(Version.current)"
    }

    /// The greatest value that `origin.maximum-fetches` accepts.
    package static let mostFetches = 10_000
}

extension Setting {
    static let origin: [Setting] = [
        .positive(
            "origin.connect-timeout", \.origin.connectTimeout, .live,
            "How long looking up the name, TCP and TLS may take together."),
        .positive(
            "origin.first-byte-timeout", \.origin.firstByteTimeout, .live,
            "How long the first byte of the answer may take once the request is sent."),
        .positive(
            "origin.idle-timeout", \.origin.idleTimeout, .live,
            "The longest pause inside an answer. An answer that is slower than 2 KiB a second over this time counts as a pause too."
        ),
        .positive(
            "origin.timeout", \.origin.timeout, .live, "How long a whole fetch may take, redirects included."),
        .size(
            "origin.maximum-body", \.origin.maximumBody, .live, from: 1 << 10,
            "Bytes of an original; more is a 413. A 100 MP JPEG has about 40 MB."),
        .number(
            "origin.maximum-redirects", \.origin.maximumRedirects, .live, 0...20,
            "Redirects followed for one original."),
        .number(
            "origin.maximum-fetches", \.origin.maximumFetches, .live, 1...Settings.mostFetches,
            "Fetches under way at once, from all hosts together; never more than a thirty-second of the limit of open files, or a sixty-fourth with a shared store."
        ),
        .number(
            "origin.maximum-fetches-per-host", \.origin.maximumFetchesPerHost, .live, 1...10_000,
            "Fetches under way at once from one host. The default is a quarter of origin.maximum-fetches, so that a slow host cannot take every permit. While all of its permits are taken, pictures of that host that are held are served stale."
        ),
        Setting(
            "origin.maximum-rate-per-host", \.origin.maximumRatePerHost, .live,
            "Fetches that may begin in a second at one host, as 50 or 0.5; further ones wait for their turn, like those that wait for a permit. 0 = any number. Redirects are not counted.",
            form: "0, or 0.01 to 100000"
        ) { $0 == 0 || (0.01...100_000).contains($0) },
        .number(
            "origin.queue-length", \.origin.queueLength, .live, 0...100_000,
            "Fetches that may wait for a permit; more is a 503."),
        .positive(
            "origin.queue-timeout", \.origin.queueTimeout, .live, "How long a fetch may wait for a permit."),
        .number(
            "origin.rest-after", \.origin.restAfter, .live, 0...1000,
            "Failures in a row after which a host is left alone for a while. A failed connection counts for all clients. No answer in time, a broken answer or a 5xx counts once for each URL, for the client that asked; such failures of several clients together count for all. 0 = never."
        ),
        .positive(
            "origin.first-rest", \.origin.firstRest, .live,
            "How long a host that fails is left alone at first; then one fetch finds out whether it is well again. For pictures that are not held, one fetch goes through in each such time, also during longer rests."
        ),
        .positive(
            "origin.longest-rest", \.origin.longestRest, .live,
            "Each rest after a fetch that found the host still failing is twice as long, up to this. Such rests hold for pictures that can be served stale meanwhile."
        ),
        .number(
            "origin.resumptions", \.origin.resumptions, .live, 0...10,
            "How often the rest of an original is asked for when its transfer broke off, within origin.timeout. The host must answer requests for ranges."
        ),
        .positive(
            "origin.stall-limit", \.origin.stallLimit, .live,
            "How long the thread of all fetches may stand still, inside a library or at the disk, before the daemon ends itself with exit status 70, to be started anew. From 3 s on, fetches are a 503 and the daemon is not ready."
        ),
        Setting(
            "origin.allow-private", \.origin.allowPrivate, .live,
            "Fetch from loopback, private, link-local and other special addresses too. Only for development. The value at the start also decides whether the search list of resolv.conf completes names."
        ),
        Setting(
            "origin.allow-networks", \.origin.allowNetworks, .live,
            "Networks (CIDR) that may be fetched from although they are private or special. Whether the list is empty at the start also decides whether the search list of resolv.conf completes names."
        ),
        Setting(
            "origin.deny-networks", \.origin.denyNetworks, .live,
            "Networks (CIDR) that are never fetched from, whatever else allows them.", isGuard: true),
        Setting(
            "origin.allow-hosts", \.origin.allowHosts, .live,
            "Hosts that may be fetched from: host or *.host, which stands for the names below it. If this or origin.allow-urls is not empty, only what one of the two names is fetched.",
            isGuard: true),
        Setting(
            "origin.deny-hosts", \.origin.denyHosts, .live,
            "Hosts that are never fetched from: host or *.host.",
            isGuard: true),
        Setting(
            "origin.allow-urls", \.origin.allowUrls, .live,
            "URLs that may be fetched, by their beginning: https://host/path/, or //host/path/ for http and https. If this or origin.allow-hosts is not empty, only what one of the two names is fetched.",
            isGuard: true),
        Setting(
            "origin.deny-urls", \.origin.denyUrls, .live,
            "URLs that are never fetched, by their beginning, in the form of origin.allow-urls.",
            isGuard: true
        ),
        Setting(
            "origin.ports", \.origin.ports, .live,
            "Ports that may be fetched from. The default leaves out all ports below 1024 but 80 and 443, because mail, shells and the like listen there. A range leaves out the ports that browsers block (Fetch standard), such as 6667."
        ),
        Setting(
            "origin.certificate-authorities", \.origin.certificateAuthorities, .live,
            "PEM files with certificate authorities that vouch for origins beside the system's, as a company's own. The system's are those of $SSL_CERT_FILE where it is set."
        ),
        Setting(
            "origin.proxy", \.origin.proxy, .live,
            "A proxy through which origins are asked: http://host:port or socks5://host:port. The proxy looks up the origins' names, so the proxy has to refuse addresses inside. http_proxy and its kin in the environment are ignored."
        ),
        Setting(
            "origin.proxy-credentials", \.origin.proxyCredentials, .live,
            "user:password for the proxy. No flag."),
        Setting(
            "origin.proxy-except", \.origin.proxyExcept, .live,
            "Hosts that are asked without the proxy: host or *.host."),
        Setting(
            "origin.files", \.origin.files, .live,
            "Folders that originals may be read from, by name: with photos: /srv/photos, file://photos/a/b.jpg is /srv/photos/a/b.jpg. Links below them are not followed.",
            form: "a mapping of names to absolute folders, as photos=/srv/photos"
        ) { $0.list.allSatisfy { $0.place.hasPrefix("/") } },
        Setting(
            "origin.aliases", \.origin.aliases, .live,
            "Short names for beginnings of URLs: with media: s3://shop-media, url=media/a.jpg and url=https://media/a.jpg are s3://shop-media/a.jpg.",
            form: "a mapping of names without dots to URLs, as media=s3://shop-media"
        ) { $0.list.allSatisfy { !$0.name.contains(".") && $0.place.contains("://") } },
        Setting(
            "origin.profiles", \.origin.profiles, .live,
            "A file that says how some origins are asked: fields, credentials, certificates, proxy, lifetimes, and query parameters that make no difference or only open the picture. Without it, $CREDENTIALS_DIRECTORY/origin-profiles (systemd) where that exists."
        ),
        Setting("origin.user-agent", \.origin.userAgent, .live, "The User-Agent that origins see."),
    ]
}
