// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar
internal import ImageHeaders
package import Logging
package import Recipes

/// Everything a person can set, with its default. The settings table has the meaning, the unit and the reason
/// of each; the comments here say what the type does not.
package struct Settings: Sendable, Equatable {
    /// The public listener.
    package struct Server: Sendable, Equatable {
        /// `host:port`, `[v6]:port` or `unix:/path`.
        package var listen = ["127.0.0.1:8080"]
        /// Event loops; 0 = one per core.
        package var threads = 0
        /// Open connections.
        package var maximumConnections = 20_000
        /// Between two requests of a connection.
        package var idleTimeout = Duration.seconds(75)
        /// From the first byte of a request's head to its last.
        package var headTimeout = Duration.seconds(10)
        /// The time over which `sendRate` is measured.
        package var sendTimeout = Duration.seconds(30)
        /// The least bytes a second that a client takes; 0 = one byte in `sendTimeout`.
        package var sendRate = ByteCount(1 << 10)
        /// Bytes of a request's head.
        package var maximumHead = ByteCount(16 << 10)
        /// Bytes of a request's target.
        package var maximumTarget = ByteCount(8 << 10)
        /// Field lines of a request.
        package var maximumFields = 100
        /// CIDR networks, addresses or `unix`.
        package var trustedProxies: [String] = []
        /// The only forwarding field that counts.
        package var clientField = ClientField.none
        /// True if every connection begins with a PROXY header.
        package var proxyProtocol = false
        /// True to answer probes at the public listener too.
        package var probes = false
        /// From SIGTERM to the drain.
        package var drainDelay = Duration.seconds(0)
        /// From the drain's begin to the end of the last answers.
        package var drainTimeout = Duration.seconds(25)
    }

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

    /// The admin listener.
    package struct Admin: Sendable, Equatable {
        /// `host:port` or `unix:/path`; empty = no listener.
        package var listen = ["127.0.0.1:8081"]
        /// Set here or in `tokenFile`; `adminSecret` reads both.
        package var token = Secret.none
        var tokenFile = ""
        /// Names beside those in `listen`: `host` or `*.host`.
        package var hosts: [String] = []
        /// True for the page at `/ui`.
        package var dashboard = true
    }

    /// Signed URLs.
    package struct Signatures: Sendable, Equatable {
        /// Set here or in `keysFile`; `signatureSecrets` reads both.
        package var keys = Secrets.none
        /// Path of a file; empty = none.
        package var keysFile = ""
        /// Dialects, or `all`.
        package var required: [String] = []
        /// Names of presets.
        package var freePresets: [String] = []
    }

    /// Pages that may show pictures.
    package struct Referers: Sendable, Equatable {
        /// `host` or `*.host`; empty = every page.
        package var allow: [String] = []
        /// True to answer requests with neither Referer nor Origin.
        package var allowAbsent = true
    }

    /// A store that speaks S3.
    package struct Store: Sendable, Equatable {
        /// That clients may name.
        package var buckets: [String] = []
        /// A URL; empty = Amazon's of the region.
        package var endpoint = ""
        /// That requests are signed for.
        package var region = "us-east-1"
        /// Where a bucket's name stands.
        package var style = StoreStyle.path
        /// The key's name; empty = from the environment.
        package var accessKey = ""
        /// The key's secret.
        package var secretKey = GivenSecret.none
        /// Of temporary keys.
        package var sessionToken = GivenSecret.none
    }

    /// The store that several nodes share.
    package struct SharedStore: Sendable, Equatable {
        /// The bucket; empty = no shared store.
        package var bucket = ""
        /// A URL; empty = Amazon's of the region.
        package var endpoint = ""
        /// That requests are signed for.
        package var region = "us-east-1"
        /// Where the bucket's name stands.
        package var style = StoreStyle.path
        /// Before the names of all objects; empty = none.
        package var prefix = "pictor"
        /// The key's name; empty = from the environment.
        package var accessKey = ""
        /// The key's secret.
        package var secretKey = GivenSecret.none
        /// Of temporary keys.
        package var sessionToken = GivenSecret.none
        /// True to share originals.
        package var originals = true
        /// True to share renditions.
        package var renditions = true
        /// For a connection, and again for the first byte of an object.
        package var firstByteTimeout = Duration.milliseconds(150)
        /// For a whole object.
        package var timeout = Duration.seconds(2)
        /// Objects that wait to be written.
        package var queue = 256
        /// Bytes that wait to be written.
        package var queueBytes = ByteCount(64 << 20)
    }

    /// Scripts that may read answers.
    package struct CORS: Sendable, Equatable {
        /// `*`, or origins as browsers name them; empty = nobody's.
        package var allow = ["*"]
        /// For the answer to a preflight.
        package var maximumAge = Duration.seconds(7_200)
    }

    /// Fetches from origins.
    package struct Origin: Sendable, Equatable {
        /// For name, TCP and TLS together.
        package var connectTimeout = Duration.seconds(5)
        /// From the request to the first byte of its answer.
        package var firstByteTimeout = Duration.seconds(15)
        /// Between two reads of an answer.
        package var idleTimeout = Duration.seconds(10)
        /// For a fetch, redirects included.
        package var timeout = Duration.seconds(30)
        /// Bytes of an original.
        package var maximumBody = ByteCount(64 << 20)
        /// Redirects of one fetch.
        package var maximumRedirects = 5
        /// Fetches under way.
        package var maximumFetches = 128
        /// Fetches under way to one host.
        package var maximumFetchesPerHost = 32
        /// Fetches begun in a second to one host; 0 = any number.
        package var maximumRatePerHost = 0.0
        /// Fetches that wait for a permit.
        package var queueLength = 1024
        /// For a permit.
        package var queueTimeout = Duration.seconds(10)
        /// Failures in a row; 0 = never rest.
        package var restAfter = 10
        /// The first rest of a host.
        package var firstRest = Duration.seconds(1)
        /// The longest rest of a host.
        package var longestRest = Duration.seconds(30)
        /// Requests for the rest of one broken body.
        package var resumptions = 2
        /// Until the daemon ends because the network thread stands still.
        package var stallLimit = Duration.seconds(30)
        /// True opens loopback, private, link-local and other special addresses.
        package var allowPrivate = false
        /// CIDR networks.
        package var allowNetworks: [String] = []
        /// CIDR networks.
        package var denyNetworks: [String] = []
        /// `host` or `*.host`; empty = all, unless `allowUrls` is set.
        package var allowHosts: [String] = []
        /// `host` or `*.host`.
        package var denyHosts: [String] = []
        /// URL prefixes; empty = all, unless `allowHosts` is set.
        package var allowUrls: [String] = []
        /// URL prefixes.
        package var denyUrls: [String] = []
        /// Ports and ranges of them.
        package var ports = ["80", "443", "1024-65535"]
        /// Paths of PEM files with authorities that vouch for origins beside the system's.
        package var certificateAuthorities: [String] = []
        /// http://host:port or socks5://host:port; empty for none.
        package var proxy = ""
        /// For the proxy.
        package var proxyCredentials = ProxyCredentials.none
        /// `host` or `*.host`, asked without the proxy.
        package var proxyExcept: [String] = []
        /// Folders that `file://name/…` leads to.
        package var files = NamedPlaces()
        /// What `name/…` stands for, as the beginning of a URL.
        package var aliases = NamedPlaces()
        /// Path of a file; empty for none.
        package var profiles = ""
        /// The field's value.
        package var userAgent = "Pictor/\(Version.current)"
    }

    /// The decoder processes.
    package struct Decoder: Sendable, Equatable {
        /// Processes; 0 = one per core.
        package var processes = 0
        /// How strictly the sandbox is enforced.
        package var jail = JailMode.prefer
        /// For one picture; then its process is killed.
        package var timeout = Duration.seconds(20)
        /// The expected time from which a picture counts as long.
        package var longPicture = Duration.seconds(1)
        /// For all pictures under way; 0 = by the machine's memory.
        package var memory = ByteCount(0)
        /// AVIF pictures at once; 0 = as many as there are processes.
        package var avifJobs = 0
        /// Width × height × frames of an original.
        package var maximumPixels = 100_000_000
        /// Frames of an animation.
        package var maximumFrames = 256
        /// Bytes of a rendition.
        package var maximumOutput = ByteCount(64 << 20)
        /// Names of formats.
        package var formats = ImageFormat.trusted.map(\.name)
        /// Names of formats that are written beside the usual ones.
        package var writes: [String] = []
        /// The treatment of truncated pictures.
        package var damaged = DamagedPicture.refuse
        /// Families of fonts that texts may have.
        package var fonts: [String] = []
        /// True to make usual JPEGs smaller by Pictor's own decoder.
        package var jpegLane = true
        /// Pictures until a process is replaced.
        package var recycleAfter = 2_000
        /// Resident memory above which a process is replaced.
        package var recycleAbove = ByteCount(112 << 20)
        /// Pictures that wait for a process.
        package var queueLength = 256
        /// For a process.
        package var queueTimeout = Duration.seconds(10)
    }

    /// Settings about the choice of an encoder, which the encoders themselves do not get.
    package struct Output: Sendable, Equatable {
        /// Pixels of the largest AVIF result; larger ones become WebP.
        package var avifMaximumPixels = 4_000_000
        /// True if an SVG may be answered as SVG.
        package var svg = false
    }

    /// The caches, and the lifetimes of originals and answers.
    package struct Cache: Sendable, Equatable {
        /// Path; empty = by the environment, see `cacheFolder`.
        package var directory = ""
        /// For renditions in memory.
        package var memory = ByteCount(256 << 20)
        /// For originals and renditions on disk.
        package var disk = ByteCount(10 << 30)
        /// Part of `disk` that originals may occupy, 0…1.
        package var originalsShare = 0.5
        /// Bytes and inodes that stay free on the file system.
        package var minimumFree = MinimumFree.percent(2)
        /// Bytes a second that are verified; 0 = none.
        package var scrubRate = ByteCount(1 << 20)
        /// Descriptors of renditions.
        package var openFiles = 512
        /// Of an original's freshness.
        package var minimumLifetime = Duration.seconds(0)
        /// Of an original's freshness.
        package var maximumLifetime = Duration.seconds(365 * 86_400)
        /// Without explicit fields, and without a heuristic.
        package var defaultLifetime = Duration.seconds(1)
        /// Of the time since Last-Modified, 0…1.
        package var heuristicFraction = 0.1
        /// Of a heuristic lifetime.
        package var heuristicMaximum = Duration.seconds(86_400)
        /// Without the origin's own directive.
        package var staleWhileRevalidate = Duration.seconds(0)
        /// Without the origin's own directive.
        package var staleIfError = Duration.seconds(86_400)
        /// Until a request gets the stale answer instead.
        package var staleWait = Duration.seconds(1)
        /// Of clients' caches.
        package var clientMinimumLifetime = Duration.seconds(0)
        /// Of clients' caches.
        package var clientMaximumLifetime = Duration.seconds(365 * 86_400)
        /// Of clients' caches, by the original's host.
        package var clientLifetimes = ClientLifetimeRules()
        /// Originals refreshed at once behind stale answers.
        package var maximumRefreshes = 32
    }

    /// How long failures are remembered.
    package struct Negative: Sendable, Equatable {
        /// 404 and 410.
        package var notFound = Duration.seconds(60)
        /// Other 4xx.
        package var clientError = Duration.seconds(10)
        /// 5xx, and other answers without a picture.
        package var serverError = Duration.seconds(5)
        /// A name without address.
        package var unresolved = Duration.seconds(30)
        /// No connection, or no complete answer.
        package var unreachable = Duration.seconds(5)
        /// Content that is no usable picture.
        package var noPicture = Duration.seconds(60)
        /// For the origin's own fields.
        package var maximum = Duration.seconds(300)
    }

    /// Names in URLs, and the widths that can be made.
    package struct Options: Sendable, Equatable {
        /// `name=options`.
        package var presets: [String] = []
        /// Widths in pixels; empty = every width.
        package var widthLadder: [String] = []
        /// `name=URL` or `name=/path`.
        package var watermarks: [String] = []
        /// `host`, `*.host` or `*`; empty = none.
        package var defaultHosts: [String] = []
        /// `avif`, `webp` and `jxl`; their order does not count.
        package var autoFormats = ["avif", "webp"]
    }

    /// What is made of clients' hints.
    package struct Hints: Sendable, Equatable {
        /// True to read them.
        package var enabled = false
        /// Pixels.
        package var widths = ["320", "480", "640", "768", "960", "1280", "1600", "1920", "2560", "3840"]
        /// Pixels; 0 = the original's.
        package var defaultWidth = 1_280
        /// Percent of the settings' quality.
        package var savingPercent = 75
    }

    /// Where spans of requests go, and of which requests.
    package struct Traces: Sendable, Equatable {
        /// A URL; empty = nothing is traced.
        package var endpoint = ""
        /// A field line for the collector.
        package var credentials = FieldCredentials.none
        /// Of all traces, 0…1.
        package var ratio = 0.01
        /// 0 = none is slow.
        package var slow = Duration.seconds(1)
        /// True to keep the traces of answers with 500 or more.
        package var failed = true
        /// True to go on with clients' traces.
        package var parent = false
        /// Hosts that are told the trace.
        package var origins: [String] = []
        /// `service.name`.
        package var service = "pictor"
        /// Spans.
        package var queue = 4096
    }

    /// The dialect of Cloudflare's image resizing.
    package struct Cloudflare: Sendable, Equatable {
        /// True to answer its URLs.
        package var enabled = false
        /// An absolute URL; empty refuses sources that are paths.
        package var baseURL = ""

        /// Where its URLs are; not a setting.
        package static let place = PathPlace("/cdn-cgi/image")
    }

    /// What is set of the dialect of imgproxy.
    package struct Imgproxy: Sendable, Equatable {
        /// True to answer its URLs.
        package var enabled = false
        /// A place, as `PathPlace` reads it.
        package var path = "/"
        /// Set here or in `keysFile`; `imgproxySecrets` reads both.
        package var keys = HexPairs.none
        /// Path of a file; empty = none.
        package var keysFile = ""
        /// Bytes, 1…32.
        package var signatureSize = 32
        /// Segments that stand for a signature.
        package var trustedSignatures = SecretWords.none
        /// Set here or in `encryptionKeyFile`; `imgproxyEncryptionKey` reads both.
        package var encryptionKey = HexKey.none
        /// Path of a file; empty = none.
        package var encryptionKeyFile = ""
        /// One character.
        package var argumentsSeparator = ":"
        /// `name=option/option`.
        package var presets: [String] = []
        /// True where URLs name presets only.
        package var onlyPresets = false
        /// Empty, or what is put before sources.
        package var baseURL = ""
        /// The name of a watermark of `options.watermarks`; empty = none.
        package var watermark = ""
        /// `avif` and `webp`; their order does not count.
        package var autoFormats: [String] = []
        /// True to fill in what URLs leave out by clients' hints.
        package var clientHints = false
    }

    /// What is set of a dialect of operations: thumbor's or imagor's.
    package struct Operations: Sendable, Equatable {
        /// True to answer its URLs.
        package var enabled = false
        /// Where its URLs are.
        package var path: String
        /// By which they are signed.
        package var keys = PlainKeys.none
        /// A file that holds the keys.
        package var keysFile = ""
        /// True to answer unsigned URLs although there are keys.
        package var unsafe = false
        /// An absolute URL; empty = pictures' names begin with a host.
        package var baseURL = ""
        /// `http` or `https`, of such a name.
        package var scheme: String
        /// `avif` and `webp`; their order does not count.
        package var autoFormats: [String] = []
        /// What becomes of filters that are not made.
        package var otherFilters = "refuse"
        /// Of imagor's signatures: `sha1`, `sha256` or `sha512`.
        package var signer = "sha1"
        /// Characters of imagor's signatures; 0 = all.
        package var truncate = 0

        /// Takes what the two have different defaults of.
        package init(path: String, scheme: String) { (self.path, self.scheme) = (path, scheme) }
    }

    /// What an operations dialect does with filters that it does not make, by their words.
    package static let otherFilters = ["refuse", "ignore-unknown", "ignore"]

    /// The log and the access log.
    package struct Log: Sendable, Equatable {
        /// The least level that is written.
        package var level = Logger.Level.info
        /// Lines for people, JSON, or logfmt.
        package var format = LogFormat.text
        /// True for one line a request on standard output.
        package var access = true
        /// Of the answers below 400, one in so many gets a line.
        package var accessSample = 1
        /// Lines of the access log in one second; 0 = any number.
        package var accessRate = 0
        /// Query parameters whose values are not written.
        package var redact = [
            "access_token", "api_key", "apikey", "auth", "awsaccesskeyid", "key", "password", "secret", "sig",
            "signature", "token", "x-amz-credential", "x-amz-security-token", "x-amz-signature",
            "x-goog-credential", "x-goog-signature",
        ]
        /// Lines that wait for each of the two outputs.
        package var queue = ByteCount(4 << 20)
    }

    /// The most that `origin.maximum-fetches` may be.
    package static let mostFetches = 10_000

    package var server = Server()
    package var limits = Limits()
    package var admin = Admin()
    package var signatures = Signatures()
    package var referers = Referers()
    package var cors = CORS()
    package var origin = Origin()
    /// The group `s3`.
    package var s3 = Store()
    /// The group `shared-store`.
    package var sharedStore = SharedStore()
    package var decoder = Decoder()
    package var encoder = EncoderDefaults()
    package var output = Output()
    package var cache = Cache()
    package var negative = Negative()
    package var fallback = Fallback()
    package var options = Options()
    /// The group `client-hints`.
    package var hints = Hints()
    package var weserv = Weserv()
    package var next = Next()
    package var cloudflare = Cloudflare()
    package var imgproxy = Imgproxy()
    package var thumbor = Operations(path: "/thumbor", scheme: "http")
    package var imagor = Operations(path: "/imagor", scheme: "https")
    package var playground = Playground()
    package var traces = Traces()
    package var log = Log()

    /// Every setting at its default.
    package init() {}
}
