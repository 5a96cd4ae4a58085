// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
internal import SourceURLs

/// The downloader's settings and limits, each with the reasoning behind its number.
package struct OriginConfiguration: Sendable, Hashable {
    /// The URLs and addresses that may be fetched.
    package var policy = SourcePolicy() { didSet { policyCode = policy.code } }
    /// A code of the policy. It is computed once, because lists of hosts may be long.
    private(set) var policyCode = SourcePolicy().code

    // MARK: Time

    /// From the start of a hop until its request can be sent: a free connection, name, TCP and TLS together.
    /// Three SYN packets fit into 5 s (they go out after 0, 1 and 3 s).
    package var connectTimeout: Duration = .seconds(5)
    /// From the request until the head of the response is complete; origins that render pictures need
    /// seconds.
    package var firstByteTimeout: Duration = .seconds(15)
    /// Between two reads of the body; also the length of the window for `minimumRate`.
    package var idleTimeout: Duration = .seconds(10)
    /// Bytes a second that every window of a body must reach: a permit is worth more than a picture that needs
    /// minutes. A 2 MB photo over a bad 64 kbit/s line still passes. 0 = no minimum.
    package var minimumRate: Int = 2048
    /// The whole fetch, redirects included: the longest wait of a client.
    package var totalTimeout: Duration = .seconds(30)

    /// If the network thread makes no turn for so long, it counts as stalled, and fetches fail. A turn takes milliseconds; a disk
    /// that throttles writers may add a second or two.
    package var stallNotice: Duration = .seconds(3)
    /// If the network thread makes no turn for so long, as long as a whole fetch, the process gives up and ends.
    package var stallLimit: Duration = .seconds(30)

    // MARK: Second tries

    /// Requests for the rest of a broken body, for one fetch and within `totalTimeout`. The first is for a connection that was
    /// reset, the second for starting over if the rest belongs to another version.
    package var resumptionLimit: Int = 2

    // MARK: Size

    /// Bytes of a body. A 50-megapixel JPEG has about 25 MB; 16-bit PNG and TIFF are larger.
    package var bodyLimit: Int = 64 << 20
    /// Bytes of all heads of one hop, interim responses and trailers included. Servers stop at 8 to 16 KB; CDNs
    /// add to that.
    var headLimit: Int = 64 << 10
    /// Lines of these heads.
    var fieldLimit: Int = 256

    // MARK: Redirects

    /// Redirects followed in one fetch.
    package var redirectLimit: Int = 5
    /// Follows https → http. On by default: the pictures are public, only pictures pass, and many sites still
    /// have such a hop. Switch it off if the channel's integrity matters.
    package var allowsDowngrade: Bool = true

    // MARK: Connections

    /// Fetches under way at once; more are refused as overload. Each holds at most one descriptor for the
    /// file, one for the connection, and two buffers of 64 KB: 16 MB at 128.
    package var transferLimit: Int = 128
    /// Lookups of names at once, including those that were given up and may go on (`Lookups`). Beyond that, a fetch that needs
    /// another lookup fails as it does without a descriptor.
    package var lookupLimit: Int = 1_024
    /// Connections to one origin at once; further fetches wait inside libcurl, within `connectTimeout`.
    /// Browsers use 6, but one CDN host may serve all our originals.
    package var connectionsPerHost: Int = 32
    /// Connections kept open for later, the oldest closed first.
    package var idleConnections: Int = 128
    /// Seconds after which an idle connection is no longer used: most servers close theirs after 60 or 75 s.
    var connectionIdleSeconds: Int = 55
    /// How long each connection to an origin serves a single request, after one was found out of step. The
    /// server's fault lasts until it is mended, and a connection for each fetch costs it little.
    var distrust: Duration = .seconds(300)
    /// How long a kept connection is used without a pause that proves its answers (`ConnectionStep`). Together with the
    /// pause and the time to forget, it stays within a second, so that no wrong picture is served for longer. Objects that
    /// tell whose they are need no such bound, and a connection for each half a second costs a handshake.
    package var unprovenTime: Duration = .milliseconds(500)
    /// How long the rest of an answer may take for which nobody waits any more (`AbandonedTransfer`).
    var abandonedTime: Duration = .seconds(1)
    /// False if nobody reads `Downloader.desyncs`, which would hold all of them.
    package var tellsDesyncs: Bool = true
    /// Seconds for which a resolved name is remembered; libcurl's resolver does not report the record's own
    /// lifetime.
    var nameCacheSeconds: Int = 60

    // MARK: Fields of requests

    /// `User-Agent` of every request.
    package var userAgent: String = "Pictor"
    /// `Accept` of every request, which ends as a browser's for `<img>` does: a server may know a picture as
    /// `application/octet-stream`, and answer 406 to whoever takes pictures alone.
    package var accept: String = "image/*,*/*;q=0.8"
    /// True if requests for pictures carry a mark that reveals a request that comes back to this daemon (`LoopMark`).
    package var marksLoops: Bool = false
    /// Certificate authorities; nil for the system's.
    package var authorities: AuthorityBundle?
    /// Hosts to which the trace of a fetch is passed on.
    package var tracedHosts: [HostPattern] = []
    /// The proxy for all origins; nil to dial them directly.
    package var proxy: OutboundProxy?
    /// Profiles of single origins. The first that matches applies.
    package var profiles: [OriginProfile] = []
    /// The store for `s3://` URLs; nil for none.
    package var store: ObjectStore?
    /// The store for `azure://` URLs; nil for none.
    package var blobs: BlobStore?

    package init() {}

    /// Takes over the settings that may change while fetches are under way: all except those of libcurl's pool of connections.
    mutating func takeLive(from new: OriginConfiguration) {
        policy = new.policy
        (store, blobs) = (new.store, new.blobs)
        (connectTimeout, firstByteTimeout) = (new.connectTimeout, new.firstByteTimeout)
        (idleTimeout, totalTimeout) = (new.idleTimeout, new.totalTimeout)
        (redirectLimit, resumptionLimit) = (new.redirectLimit, new.resumptionLimit)
        connectionsPerHost = new.connectionsPerHost
        (bodyLimit, stallLimit) = (new.bodyLimit, new.stallLimit)
        (userAgent, proxy, tracedHosts) = (new.userAgent, new.proxy, new.tracedHosts)
        profiles = new.profiles
        // Equal authorities keep their file, which libcurl has parsed already.
        if authorities != new.authorities { authorities = new.authorities }
        // These limits are never lowered, because a fetch that was admitted under the old limit may be on its way and need a
        // lookup.
        transferLimit = max(transferLimit, new.transferLimit)
        lookupLimit = max(lookupLimit, new.lookupLimit)
    }

    /// The store for this URL; nil for a URL of the web, or if there is no such store.
    func namedStore(for url: SourceURL) -> NamedStore? {
        switch url.scheme {
        case .s3: store.map(NamedStore.objects)
        case .azure: blobs.map(NamedStore.blobs)
        case .http, .https, .file: nil
        }
    }

    /// The proxy for this host; nil if it is dialled directly.
    package func proxy(for host: String) -> OutboundProxy? {
        proxy.flatMap { $0.serves(host) ? $0 : nil }
    }

    /// The fields of every request; conditions come on top.
    ///
    /// They ask for `identity`, because a request without `Accept-Encoding` allows any coding (RFC 9110 §12.5.3). Compressing a
    /// picture again saves nothing, and a body that is decompressed here could grow without limit.
    package var requestFields: Fields {
        Fields([
            Fields.Field("User-Agent", userAgent), Fields.Field("Accept", accept),
            Fields.Field("Accept-Encoding", "identity"),
        ])
    }
}
