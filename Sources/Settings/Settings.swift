// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
package import Jail
package import Logging
package import Recipes
package import Stores

/// Everything a person can set, with its default. Meanings, units and reasons stand in the settings table.
package struct Settings: Sendable, Equatable {
    package struct Server: Sendable, Equatable {
        package var listen = ["127.0.0.1:8080"]
        package var threads = 0
        package var maximumConnections = 20_000
        package var idleTimeout = Duration.seconds(75)
        package var headTimeout = Duration.seconds(10)
        package var sendTimeout = Duration.seconds(30)
        package var sendRate = ByteCount(1 << 10)
        package var maximumHead = ByteCount(16 << 10)
        package var maximumTarget = ByteCount(8 << 10)
        package var maximumFields = 100
        package var trustedProxies: [String] = []
        package var clientField = ClientField.none
        package var proxyProtocol = false
        package var drainTimeout = Duration.seconds(25)
    }

    package struct Limits: Sendable, Equatable {
        package var connectionsPerClient = 0
        package var requestsPerClient = ClientRate.off
        package var missesPerClient = ClientRate.off
        package var ipv6Prefix = 64
        package var renditionsPerOriginal = 5_000
        package var enlargedPixels = 16_000_000
    }

    package struct Admin: Sendable, Equatable {
        package var listen = ["127.0.0.1:8081"]
        package var token = Secret.none
        var tokenFile = ""
        package var hosts: [String] = []
    }

    package struct Signatures: Sendable, Equatable {
        package var keys = Secrets.none
        package var keysFile = ""
        package var required: [String] = []
        package var freePresets: [String] = []
    }

    package struct Referers: Sendable, Equatable {
        package var allow: [String] = []
        package var allowAbsent = true
    }

    package struct Origin: Sendable, Equatable {
        package var connectTimeout = Duration.seconds(5)
        package var firstByteTimeout = Duration.seconds(15)
        package var idleTimeout = Duration.seconds(10)
        package var timeout = Duration.seconds(30)
        package var maximumBody = ByteCount(64 << 20)
        package var maximumRedirects = 5
        package var maximumFetches = 128
        package var maximumFetchesPerHost = 32
        package var maximumRatePerHost = 0.0
        package var queueLength = 1024
        package var queueTimeout = Duration.seconds(10)
        package var restAfter = 10
        package var firstRest = Duration.seconds(1)
        package var longestRest = Duration.seconds(30)
        package var resumptions = 2
        package var stallLimit = Duration.seconds(30)
        package var allowPrivate = false
        package var allowNetworks: [String] = []
        package var denyNetworks: [String] = []
        package var allowHosts: [String] = []
        package var denyHosts: [String] = []
        package var allowUrls: [String] = []
        package var denyUrls: [String] = []
        package var ports = ["80", "443", "1024-65535"]
        package var userAgent = "Pictor/\(Version.current)"
    }

    package struct Decoder: Sendable, Equatable {
        package var processes = 0
        package var jail = JailPolicy.Mode.prefer
        package var timeout = Duration.seconds(20)
        package var longPicture = Duration.seconds(1)
        package var memory = ByteCount(0)
        package var avifJobs = 0
        package var maximumPixels = 100_000_000
        package var maximumFrames = 256
        package var maximumOutput = ByteCount(64 << 20)
        package var formats = ImageFormat.trusted.map(\.name)
        package var damaged = DamagedPicture.refuse
        package var jpegLane = true
        package var recycleAfter = 2_000
        package var recycleAbove = ByteCount(112 << 20)
        package var queueLength = 256
        package var queueTimeout = Duration.seconds(10)
    }

    /// What is not told to the encoders themselves: it decides which of them is asked.
    package struct Output: Sendable, Equatable {
        package var avifMaximumPixels = 4_000_000
    }

    package struct Cache: Sendable, Equatable {
        package var directory = ""
        package var memory = ByteCount(256 << 20)
        package var disk = ByteCount(10 << 30)
        var originalsShare = 0.5
        package var minimumFree = FreeSpace.percent(2)
        package var scrubRate = ByteCount(1 << 20)
        package var openFiles = 512
        package var minimumLifetime = Duration.seconds(0)
        package var maximumLifetime = Duration.seconds(365 * 86_400)
        package var defaultLifetime = Duration.seconds(1)
        package var heuristicFraction = 0.1
        package var heuristicMaximum = Duration.seconds(86_400)
        package var staleWhileRevalidate = Duration.seconds(0)
        package var staleIfError = Duration.seconds(86_400)
        package var staleWait = Duration.seconds(1)
        package var clientMinimumLifetime = Duration.seconds(0)
        package var clientMaximumLifetime = Duration.seconds(365 * 86_400)
        package var clientLifetimes = ClientLifetimeRules()
        package var maximumRefreshes = 32
    }

    package struct Negative: Sendable, Equatable {
        package var notFound = Duration.seconds(60)
        package var clientError = Duration.seconds(10)
        package var serverError = Duration.seconds(5)
        package var unresolved = Duration.seconds(30)
        package var unreachable = Duration.seconds(5)
        package var noPicture = Duration.seconds(60)
        package var maximum = Duration.seconds(300)
    }

    package struct Options: Sendable, Equatable {
        package var presets: [String] = []
        package var widthLadder: [String] = []
        package var watermarks: [String] = []
        package var defaultHosts: [String] = []
    }

    package struct Weserv: Sendable, Equatable {
        package var compatibleStatus = false
    }

    package struct Next: Sendable, Equatable {
        package var widths: [String] = []
        package var qualities: [String] = []
        package var baseURL = ""
        package var formats = ["webp"]
    }

    package struct Log: Sendable, Equatable {
        package var level = Logger.Level.info
        package var format = LogFormat.text
        package var access = true
        package var queue = ByteCount(4 << 20)
    }

    package var server = Server()
    package var limits = Limits()
    package var admin = Admin()
    package var signatures = Signatures()
    package var referers = Referers()
    package var origin = Origin()
    package var decoder = Decoder()
    package var encoder = EncoderDefaults()
    package var output = Output()
    package var cache = Cache()
    package var negative = Negative()
    package var options = Options()
    package var weserv = Weserv()
    package var next = Next()
    package var log = Log()

    package init() {}
}
