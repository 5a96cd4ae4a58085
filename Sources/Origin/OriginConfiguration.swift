// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// Every limit of the downloader, with the sketch that led to its number.
package struct OriginConfiguration: Sendable, Hashable {
    /// Where it may go.
    package var policy = SourcePolicy()

    // MARK: Time

    /// From the start of a hop until its request can be sent: waiting for a free connection, name, TCP and
    /// TLS together. Three SYN packets fit into 5 s (they go out after 0, 1 and 3 s).
    package var connectTimeout: Duration = .seconds(5)
    /// From the request until the head of the response is complete: origins that make the picture need
    /// seconds.
    package var firstByteTimeout: Duration = .seconds(15)
    /// Between two reads of the body; also the window over which `minimumRate` is measured.
    package var idleTimeout: Duration = .seconds(10)
    /// Bytes a second below which a body is given up after any window: a slot is worth more than a picture
    /// that needs minutes. A 2 MB photo over a bad 64 kbit/s line still passes. 0 switches it off.
    package var minimumRate: Int = 2048
    /// The whole fetch, redirects included; what a client in front of us waits at most.
    package var totalTimeout: Duration = .seconds(30)

    /// Without a turn of the network thread for that long, it is taken for stalled: no fetch waits for it. A
    /// turn takes milliseconds; a disk that throttles writers may add a second or two.
    package var stallNotice: Duration = .seconds(3)
    /// Without a turn for that long, the thread is given up, and the process with it: as long as a whole
    /// fetch.
    package var stallLimit: Duration = .seconds(30)

    // MARK: Second tries

    /// Requests for the rest of a body that broke off, for one fetch and within `totalTimeout`. One is for
    /// the connection that was reset, the second for starting over where the rest is of another version.
    package var resumptionLimit: Int = 2

    // MARK: Size

    /// Bytes of a body. A 50-megapixel JPEG has about 25 MB; 16-bit PNG and TIFF are larger.
    package var bodyLimit: Int = 64 << 20
    /// Bytes of all heads of one hop, interim responses included. Servers stop at 8 to 16 KB; CDNs add to
    /// that.
    package var headLimit: Int = 64 << 10
    /// Field lines of a head.
    package var fieldLimit: Int = 256

    // MARK: Redirects

    package var redirectLimit: Int = 5
    /// Follows https → http. On by default: the picture is public and checked for being one, and many sites
    /// still have such a hop; whoever needs the channel's integrity switches it off.
    package var allowsDowngrade: Bool = true

    // MARK: Connections

    /// Fetches under way at once; more are refused as overload. Each holds at most a descriptor for the file,
    /// one for the connection, and two buffers of 64 KB: 16 MB at 128.
    package var transferLimit: Int = 128
    /// Connections to one origin at once; fetches beyond wait inside libcurl, within `connectTimeout`.
    /// Browsers use 6, and one CDN host may serve all our originals.
    package var connectionsPerHost: Int = 32
    /// Connections kept open for later, the oldest closed first.
    package var idleConnections: Int = 128
    /// Seconds after which an idle connection is no longer used: most servers close theirs after 60 or 75 s.
    package var connectionIdleSeconds: Int = 55
    /// After a connection of an origin was found out of step, its connections serve one request each for that
    /// long: a server that sends too much does so until it is mended, and a connection more for each fetch
    /// costs it little.
    package var distrust: Duration = .seconds(300)
    /// Seconds for which a resolved name is remembered; libcurl's resolver does not tell the record's own
    /// lifetime.
    package var nameCacheSeconds: Int = 60

    // MARK: What is said to the origin

    package var userAgent: String = "Pictor"
    package var accept: String = "image/*"
    /// A PEM file of certificate authorities instead of the system's.
    package var authorities: String?

    package init() {}

    /// What every request says, whatever it asks for; conditions come on top.
    ///
    /// `identity` rather than nothing, which would allow any coding (RFC 9110 §12.5.3): compressing a picture
    /// again helps nobody, and a body that is decoded here could swell without bound.
    package var requestFields: Fields {
        Fields([
            Fields.Field("User-Agent", userAgent), Fields.Field("Accept", accept),
            Fields.Field("Accept-Encoding", "identity"),
        ])
    }
}
