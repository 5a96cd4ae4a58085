// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let origin: [Setting] = [
        .positive("origin.connect-timeout", \.origin.connectTimeout, "Name look-up, TCP and TLS together."),
        .positive(
            "origin.first-byte-timeout", \.origin.firstByteTimeout,
            "From the request sent to the answer's first byte."),
        .positive("origin.idle-timeout", \.origin.idleTimeout, "The longest pause inside an answer."),
        .positive("origin.timeout", \.origin.timeout, "A fetch in all, redirects included."),
        Setting(
            "origin.maximum-body", \.origin.maximumBody,
            "An original; more is a 413. A 100 MP JPEG has about 40 MB.", where: { $0 > ByteCount(0) }),
        .number(
            "origin.maximum-redirects", \.origin.maximumRedirects, 0...20,
            "Redirects followed for one original."),
        .number(
            "origin.maximum-fetches", \.origin.maximumFetches, 1...10_000,
            "Fetches under way at once, in all."),
        .number(
            "origin.maximum-fetches-per-host", \.origin.maximumFetchesPerHost, 1...10_000,
            "Fetches under way at once to one host, so that a slow one cannot take all slots."),
        .number(
            "origin.queue-length", \.origin.queueLength, 0...100_000,
            "Fetches that may wait for a slot; more is a 503."),
        .positive("origin.queue-timeout", \.origin.queueTimeout, "How long a fetch may wait for a slot."),
        Setting(
            "origin.allow-private", \.origin.allowPrivate,
            "Fetch from loopback, private, link-local and other special addresses too. Only for development."),
        Setting(
            "origin.allow-networks", \.origin.allowNetworks,
            "Networks (CIDR) that may be fetched from although they are private or special."),
        Setting(
            "origin.deny-networks", \.origin.denyNetworks,
            "Networks (CIDR) that are never fetched from, whatever else allows them."),
        Setting(
            "origin.allow-hosts", \.origin.allowHosts,
            "Not empty: only these hosts, and what origin.allow-urls holds. host or *.host, which stands for the names below it."
        ),
        Setting(
            "origin.deny-hosts", \.origin.denyHosts, "Hosts that are never fetched from: host or *.host."),
        Setting(
            "origin.allow-urls", \.origin.allowUrls,
            "Not empty: only URLs below these, and origin.allow-hosts. https://host/path/, or //host/path/ for http and https."
        ),
        Setting("origin.deny-urls", \.origin.denyUrls, "URLs below these are never fetched."),
        Setting(
            "origin.ports", \.origin.ports,
            "Ports that may be fetched from. Below 1024 live mail and shells; ranges leave out the ports that browsers block (Fetch standard), such as 6667."
        ),
        Setting("origin.user-agent", \.origin.userAgent, "The User-Agent that origins see."),
    ]
}
