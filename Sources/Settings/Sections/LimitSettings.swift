// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// Limits on one client, and on one original.
    package struct Limits: Sendable, Equatable {
        /// The most open connections of one address; 0 for no limit.
        package var connectionsPerClient = 0
        /// The rate of all requests, including hits.
        package var requestsPerClient = ClientRate.off
        /// The rate of requests that need an origin or a rendering.
        package var missesPerClient = ClientRate.off
        /// How many leading bits of an IPv6 address identify a client.
        package var ipv6Prefix = 64
        /// The most renditions of one original per hour; 0 for no limit.
        package var renditionsPerOriginal = 5_000
        /// The most pixels (width × height × frames) of an enlarged picture; 0 for the limit of all results.
        package var enlargedPixels = 16_000_000
    }
}

extension Setting {
    static let limits: [Setting] = [
        .number(
            "limits.connections-per-client", \.limits.connectionsPerClient, .atRestart(.census),
            0...1_000_000,
            "Open connections of one address; 0 = any number. 100 leaves room for a household behind one address. Connections of trusted proxies are not counted, unless the PROXY protocol says whose they are."
        ),
        Setting(
            "limits.requests-per-client", \.limits.requestsPerClient, .live,
            "Requests of one address, answers from the cache included: 1000/10s allows 1000 at once and 100 a second after that."
        ),
        Setting(
            "limits.misses-per-client", \.limits.missesPerClient, .live,
            "Requests of one address for which an origin is asked or a picture is made: 200/60s allows a gallery at once and 3 a second after that. Pictures in the cache are answered all the same."
        ),
        .number(
            "limits.ipv6-prefix", \.limits.ipv6Prefix, .atRestart(.census), 32...128,
            "Leading bits of an IPv6 address that stand for one client. A customer has a /64 at least, and many have a /56."
        ),
        .number(
            "limits.renditions-per-original", \.limits.renditionsPerOriginal, .live, 0...100_000,
            "Different renditions of one original that may be made in an hour; more are a 429. One client may use three quarters of them. A client that has had few of them gets some more even when all are used. Renditions in the cache are always answered. 5,000 of 100 KB are 500 MB, a tenth of what the usual disk cache holds of them; srcset in all formats needs 200. 0 = any number."
        ),
        .number(
            "limits.enlarged-pixels", \.limits.enlargedPixels, .live, 0...2_000_000_000,
            "Width × height × frames of a result that is larger than its original, or of what it is cut from; more is a 413. 16 megapixels are two 4K screens; as PNG of level 9 they take 17 s. Drawings, signed URLs and requests with the admin token are not bound by it. 0 = only the limits for all results count."
        ),
    ]
}
