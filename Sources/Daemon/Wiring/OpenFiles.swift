// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DecoderPool
internal import Kernel
internal import Logging
internal import Settings

/// The process's limit of open files (RLIMIT_NOFILE, getrlimit(2)), and how it is shared out.
///
///     0                 clients           requests               limit
///     | clients         | requests        | reserve              |
///
/// The kernel gives out the lowest number that is free, so each part may take what is left of those before it, and nothing of
/// those behind it: clients of the public listener have numbers below `clients`; sockets and files of requests, and clients of
/// the admin listener, have numbers below `requests`. The reserve is for what nobody counts: libdispatch, worker processes that
/// are started anew, the index, Redis, and the lookups of names (`ReservedDescriptors`).
struct OpenFiles {
    let limit: Int
    /// The first number that is not for clients of the public listener; 0 for none.
    let clients: Int
    /// The first number of the reserve.
    let requests: Int
    /// Clients of the admin listener at once.
    let adminClients: Int
    /// Lookups of names at once: for fetches, and as many for reads of the shared store.
    let lookups: Int
    /// Fetches at once.
    let fetches: Int
    /// Reads of the shared store at once.
    let sharedReads: Int
    /// Renditions that are kept open.
    let renditions: Int
    /// Descriptors that the settings need.
    let wanted: Int

    /// A lookup in glibc's and libcurl's hands: a pair of sockets that wakes the one who asked, one to the name server, and for
    /// a moment a file.
    private static let perLookup = 4
    /// A worker process: its socket, its standard error, two files of /proc and an event, and three more while it is started.
    private static let perWorker = 8
    /// The processes that workers are forked from: a socket each, and its other end while they are started.
    private static let forZygotes = 2 * 2
    /// Of SQLite, of files that are read at a reload, of a connection on its way to being turned away, and what is held for
    /// a moment by a library.
    private static let forTheRest = 32
    /// Lookups have one part of so many.
    private static let partOfLookups = 8
    /// Each is a thread.
    private static let mostLookups = 1_024

    /// - Parameter limit: 0 or less if it is not known; then nothing is bounded by it.
    init(_ settings: Settings, limit: Int = Self.raise()) {
        self.limit = limit
        let mostReads = settings.sharedStore.bucket.isEmpty ? 0 : Settings.sharedReads
        let redis = settings.fleet.redis.isEmpty ? 0 : 12
        let workers = settings.decoders + settings.poolSettings.spares + Settings.inspectors
        let kept = Self.forTheRest + Self.forZygotes + Self.perWorker * workers + 2 * Settings.cores + redis
        let counted =
            settings.server.maximumConnections + settings.cache.openFiles
            + 2 * (settings.origin.maximumFetches + mostReads) + 2 * settings.decoders + 200 + kept
            + settings.sharedStore.queue * mostReads.signum()
        wanted =
            counted
            + min(Self.perLookup * Self.mostLookups, counted / (Self.partOfLookups - 1) + Self.perLookup)
        guard limit > 0 else {
            (clients, requests, adminClients) = (0, .max, settings.server.maximumConnections)
            (lookups, fetches) = (Self.mostLookups, settings.origin.maximumFetches)
            (sharedReads, renditions) = (Settings.sharedReads, settings.cache.openFiles)
            return
        }
        let all = min(Self.mostLookups, max(2, limit / Self.partOfLookups / Self.perLookup))
        lookups = mostReads == 0 ? all : all / 2
        fetches = min(settings.origin.maximumFetches, lookups)
        sharedReads = min(Settings.sharedReads, lookups)
        renditions = min(settings.cache.openFiles, limit / 16)
        requests = limit - min(limit / 4, kept) - Self.perLookup * all
        // What a fetch takes, a picture being made, a file being sent, and the admin listener.
        let share = min(limit / 8, 256)
        clients = max(1, requests - share)
        adminClients = min(settings.server.maximumConnections, max(4, share / 2))
    }

    /// Open connections of the public listener, by the setting and by the limit.
    func connections(_ settings: Settings) -> Int {
        clients > 0 ? min(settings.server.maximumConnections, clients) : settings.server.maximumConnections
    }

    /// Raises the soft limit to the hard one, and returns it. The soft limit is 1,024 because of select(2),
    /// which nothing here calls.
    static func raise() -> Int { Int(pictor_raise_open_files()) }

    /// Keeps the reserve from now on.
    func keepReserve() { ReservedDescriptors.begin(at: requests) }

    func warn(to logger: Logger) {
        guard limit < wanted else { return }
        logger.warning(
            "the limit of open files is too low for server.maximum-connections",
            metadata: ["limit": "\(limit)", "wanted": "\(wanted)"])
    }
}
