// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// The caches, and the lifetimes of originals and answers.
    package struct Cache: Sendable, Equatable {
        /// The path of the disk cache; empty to choose it by the environment (`cacheFolder`).
        package var directory = ""
        /// The budget for renditions in memory.
        package var memory = ByteCount(256 << 20)
        /// The budget for originals and renditions on disk.
        package var disk = ByteCount(10 << 30)
        /// The part of `disk` that originals may take, 0…1.
        package var originalsShare = 0.5
        /// Bytes and inodes that must stay free on the file system.
        package var minimumFree = MinimumFree.percent(2)
        /// The limit for bodies on the disk that are not in the cache; 0 to derive it from `disk`.
        package var heldDisk = ByteCount(0)
        /// The limit for bodies in memory that are not in the cache; 0 to derive it from the machine's memory.
        package var heldMemory = ByteCount(0)
        /// Bytes per second that the scrub verifies; 0 for none.
        package var scrubRate = ByteCount(1 << 20)
        /// The most renditions that are kept open.
        package var openFiles = 512
        /// The shortest lifetime of an original.
        package var minimumLifetime = Duration.seconds(0)
        /// The longest lifetime of an original.
        package var maximumLifetime = Duration.seconds(365 * 86_400)
        /// The lifetime of an original whose answer has neither explicit fields nor a basis for a heuristic.
        package var defaultLifetime = Duration.seconds(1)
        /// The part of the time since Last-Modified for which an original is fresh, 0…1.
        package var heuristicFraction = 0.1
        /// The longest heuristic lifetime.
        package var heuristicMaximum = Duration.seconds(86_400)
        /// The time for stale-while-revalidate if the origin does not set it.
        package var staleWhileRevalidate = Duration.seconds(0)
        /// The time for stale-if-error if the origin does not set it.
        package var staleIfError = Duration.seconds(86_400)
        /// How long a request waits for the origin before it gets the stale answer.
        package var staleWait = Duration.seconds(1)
        /// The shortest lifetime of an answer in clients' caches.
        package var clientMinimumLifetime = Duration.seconds(0)
        /// The longest lifetime of an answer in clients' caches.
        package var clientMaximumLifetime = Duration.seconds(365 * 86_400)
        /// Lifetimes in clients' caches by the original's host.
        package var clientLifetimes = ClientLifetimeRules()
        /// The most originals that are refreshed at the same time behind stale answers.
        package var maximumRefreshes = 32
    }

    /// How long failures are remembered.
    package struct Negative: Sendable, Equatable {
        /// For 404 and 410.
        package var notFound = Duration.seconds(60)
        /// For other 4xx.
        package var clientError = Duration.seconds(10)
        /// For 5xx, and other answers without a picture.
        package var serverError = Duration.seconds(5)
        /// For a name without an address.
        package var unresolved = Duration.seconds(30)
        /// For a failed connection or an incomplete answer.
        package var unreachable = Duration.seconds(5)
        /// For content that is not a usable picture.
        package var noPicture = Duration.seconds(60)
        /// The longest time that the origin's own fields can set.
        package var maximum = Duration.seconds(300)
    }
}

extension Setting {
    static let cache: [Setting] = [
        Setting(
            "cache.directory", \.cache.directory, .atRestart(.disk),
            "Where the disk cache lies. Empty: $CACHE_DIRECTORY (systemd), else $XDG_CACHE_HOME/pictor, else ~/.cache/pictor."
        ),
        .size(
            "cache.memory", \.cache.memory, .atRestart(.memory), from: 64 << 10, orNone: true,
            "Bytes of renditions kept in memory; never more than a quarter of what the machine or the control group allows. 256 MiB hold 5,000 of 50 KB."
        ),
        .size(
            "cache.disk", \.cache.disk, .atRestart(.disk), from: 1 << 20, orNone: true,
            "Bytes of originals and renditions kept on disk; the least recently used go first."),
        .fraction(
            "cache.originals-share", \.cache.originalsShare, .atRestart(.disk),
            "The part of the disk cache that originals may fill."),
        Setting(
            "cache.minimum-free", \.cache.minimumFree, .atRestart(.disk),
            "What stays free on the disk's file system, of its bytes and the same part of its inodes. With less, the least recently used pictures are removed; with less than half of it, no new picture is kept."
        ),
        .size(
            "cache.held-disk", \.cache.heldDisk, .atRestart(.disk), from: 1 << 20, orNone: true,
            "Room for bodies on the disk that are no part of the cache: on their way into it, not to be kept, or evicted while clients read them. One body may take no more than it leaves, and a body that finds no room is a 503. So this must be at least twice origin.maximum-body and twice decoder.maximum-output. 0B: a quarter of cache.disk, or that minimum if it is more."
        ),
        .size(
            "cache.held-memory", \.cache.heldMemory, .atRestart(.disk), from: 1 << 20, orNone: true,
            "Room for the same bodies in memory, where they go while the disk takes none. 0B: an eighth of what the machine or the control group allows."
        ),
        Setting(
            "cache.scrub-rate", \.cache.scrubRate, .atRestart(.disk),
            "Bytes of the disk cache that are read and verified in a second: at 1 MiB/s 10 GiB take three hours. A round begins an hour after the one before at the earliest. 0B: only what is asked for is verified. Off where the file system verifies itself (Btrfs, ZFS, bcachefs)."
        ),
        .number(
            "cache.open-files", \.cache.openFiles, .atRestart(.memory), 0...100_000,
            "Files of renditions that stay open because memory does not hold them; at most a sixteenth of the limit of open files."
        ),
        Setting(
            "cache.minimum-lifetime", \.cache.minimumLifetime, .live,
            "The shortest freshness of an original, whatever the origin says."),
        Setting(
            "cache.maximum-lifetime", \.cache.maximumLifetime, .live,
            "The longest freshness of an original, whatever the origin says."),
        Setting(
            "cache.default-lifetime", \.cache.defaultLifetime, .live,
            "Freshness of an original whose origin says nothing about it: a second spares the origin a crowd, and hides no change. Raise it for origins that never say anything."
        ),
        .fraction(
            "cache.heuristic-fraction", \.cache.heuristicFraction, .live,
            "Freshness as a part of the time since Last-Modified, where the origin gives only that (RFC 9111 §4.2.2)."
        ),
        Setting(
            "cache.heuristic-maximum", \.cache.heuristicMaximum, .live,
            "The longest freshness that cache.heuristic-fraction may give."),
        Setting(
            "cache.stale-while-revalidate", \.cache.staleWhileRevalidate, .live,
            "How long after its lifetime an original may be used while it is refreshed, where the origin does not say (RFC 5861)."
        ),
        Setting(
            "cache.stale-if-error", \.cache.staleIfError, .live,
            "How long after its lifetime an original may be used while the origin fails, where the origin does not say."
        ),
        .positive(
            "cache.stale-wait", \.cache.staleWait, .live,
            "How long a request waits for the revalidation of an original that cache.stale-if-error lets serve; then it gets the stale picture, and the revalidation goes on. A healthy origin needs less than a second, and somebody who looks at a page notices more."
        ),
        Setting(
            "cache.client-minimum-lifetime", \.cache.clientMinimumLifetime, .live,
            "The shortest time for which clients may keep an answer, whatever is left of the original's freshness. An answer that the origin forbids to keep stays forbidden."
        ),
        Setting(
            "cache.client-maximum-lifetime", \.cache.clientMaximumLifetime, .live,
            "The longest time for which clients may keep an answer."),
        Setting(
            "cache.client-lifetimes", \.cache.clientLifetimes, .live,
            "Both bounds of the lifetime for clients, for single hosts of originals: img.example.org=10m..1d is ten minutes to a day, *.example.com=1h exactly an hour. The exact host comes before *.host, and the longest of these first."
        ),
        .number(
            "cache.maximum-refreshes", \.cache.maximumRefreshes, .live, 1...10_000,
            "Originals refreshed at once after stale answers; the others stay stale until they are asked for again."
        ),
    ]

    static let negative: [Setting] = [
        Setting(
            "negative.not-found", \.negative.notFound, .live,
            "How long a 404 or 410 of the origin is remembered."),
        Setting(
            "negative.client-error", \.negative.clientError, .live,
            "How long any other 4xx of the origin is remembered: the first one if HTTP allows to keep it, else the second in this time."
        ),
        Setting(
            "negative.server-error", \.negative.serverError, .live,
            "How long a 5xx, or any other answer without a picture, is remembered; by the same rule."),
        Setting(
            "negative.unresolved", \.negative.unresolved, .live,
            "How long it is remembered that the origin's name has no address."),
        Setting(
            "negative.unreachable", \.negative.unreachable, .live,
            "How long it is remembered that there was no connection, no answer in time, or a broken one."),
        Setting(
            "negative.no-picture", \.negative.noPicture, .live,
            "How long it is remembered, at most, that the content is no picture that can be used; after that the origin is asked whether it has changed."
        ),
        Setting(
            "negative.maximum", \.negative.maximum, .live,
            "The longest time that the origin's own Cache-Control, Expires or Retry-After may give."),
    ]
}
