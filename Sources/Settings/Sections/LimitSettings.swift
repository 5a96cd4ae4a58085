// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// Limits of one client, and of one original.
    package struct Limits: Sendable, Equatable {
        /// Open connections of one address; 0 = any number.
        package var connectionsPerClient = 0
        /// All requests, hits included.
        package var requestsPerClient = ClientRate.off
        /// Requests that ask an origin or make a picture.
        package var missesPerClient = ClientRate.off
        /// Bits of an IPv6 address that identify a client.
        package var ipv6Prefix = 64
        /// Renditions an hour; 0 = any number.
        package var renditionsPerOriginal = 5_000
        /// Width × height × frames; 0 = as many as any result may have.
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
            "Requests of one address, hits included: 1000/10s are 1000 at once and 100 a second after that."),
        Setting(
            "limits.misses-per-client", \.limits.missesPerClient, .live,
            "Requests of one address for which an origin is asked or a picture is made: 200/60s are a gallery at once and 3 a second after that. What is held is answered all the same."
        ),
        .number(
            "limits.ipv6-prefix", \.limits.ipv6Prefix, .atRestart(.census), 32...128,
            "Bits of an IPv6 address that make one client. A customer has a /64, many have a /56."),
        .number(
            "limits.renditions-per-original", \.limits.renditionsPerOriginal, .live, 0...100_000,
            "Different renditions made of one picture in any hour, three quarters of them for one client; more are a 429, but a client with few of them has some more, and cached ones are always answered. 5,000 of 100 KB are 500 MB, a tenth of what the usual disk holds of them; srcset in all formats needs 200. 0 = any number."
        ),
        .number(
            "limits.enlarged-pixels", \.limits.enlargedPixels, .live, 0...2_000_000_000,
            "Width × height × frames that a picture may be enlarged to; more is a 413. 16 megapixels are two 4K screens; as PNG of level 9 they take 17 s. Drawings, signed URLs and an admin's requests are not bound by it. 0 = as many as any result may have."
        ),
    ]
}
