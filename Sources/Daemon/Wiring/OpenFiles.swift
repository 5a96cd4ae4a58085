// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DecoderPool
internal import Kernel
internal import Logging
internal import Settings

/// The process's limit of open files (RLIMIT_NOFILE, getrlimit(2)), and how it is divided.
///
///     0        own         clients           requests               limit
///     | own    | clients   | requests        | reserve              |
///
/// The descriptors of `own` are open from the start; the other parts divide the rest. The kernel always gives out the lowest free number.
/// So each part may use free numbers of the parts before it, and no number of the parts behind it: clients of the public listener have
/// numbers below `clients`; sockets and files of requests, and clients of the admin listener, have numbers below `requests`. The reserve is
/// for descriptors that nobody counts: those of libdispatch, restarted worker processes, the index, Redis, and name lookups
/// (`ReservedDescriptors`).
struct OpenFiles {
    let limit: Int
    /// Descriptors that are open before the first client comes, by the settings.
    let own: Int
    /// The first number that clients of the public listener must not use; 0 if the limit is unknown.
    let clients: Int
    /// The first number of the reserve.
    let requests: Int
    /// The most clients of the admin listener at once.
    let adminClients: Int
    /// The most name lookups at once for fetches; reads of the shared store have as many again.
    let lookups: Int
    /// The most fetches at once.
    let fetches: Int
    /// The most fetches at once from one host. If fetches are reduced, this is reduced in proportion.
    let fetchesPerHost: Int
    /// The most reads of the shared store at once.
    let sharedReads: Int
    /// The most renditions that are kept open.
    let renditions: Int
    /// The most objects that wait to be written to the shared store; some of them are files.
    let sharedWrites: Int
    /// The limit of open files at which no setting would be reduced.
    let wanted: Int
    /// The settings that the limit reduces: the value asked for, and the most that the limit allows.
    let bounds: [(key: String, asked: Int, most: Int)]

    /// Descriptors of a lookup by glibc and libcurl: a pair of sockets that wakes the caller, one to the name server, and for a
    /// moment a file.
    private static let perLookup = 4
    /// Descriptors for a worker process: its socket, its standard error, two files of /proc and an event, and three more while it
    /// is started.
    private static let perWorker = 8
    /// Descriptors for the zygotes, from which workers are forked: one socket each, and its other end while they are started.
    private static let forZygotes = 2 * 2
    /// Descriptors of SQLite, of files that are read at a reload, of a connection on its way to being turned away, and of libraries
    /// for a moment.
    private static let forTheRest = 32
    /// Descriptors of the process itself: logs, the index, folders, events. Each worker process adds 5, and each event loop 4.
    private static let atStart = 28
    private static let (perIdleWorker, perLoop) = (5, 4)
    /// Lookups get one part in so many.
    private static let partOfLookups = 8
    private static let partOfOneLookup = partOfLookups * perLookup
    /// The most lookups, because each needs a thread. A fetch may need a lookup, so more fetches get more lookups.
    private static let mostLookups = 1_024
    /// Open renditions get one part in so many, and so do objects that wait to be written.
    private static let partOfFiles = 16
    /// The most descriptors that are set aside for requests and clients of the admin listener.
    private static let mostOfRequests = 256
    /// The fewest descriptors besides `own` with which the daemon starts: enough for at least 4 clients.
    private static let fewest = 24

    /// - Parameter limit: the limit of open files; 0 or less if it is unknown, so that nothing is reduced.
    init(_ settings: Settings, limit: Int = Self.raise()) {
        self.limit = limit
        let (server, origin, cache, store) = (
            settings.server, settings.origin, settings.cache, settings.sharedStore
        )
        let demand = Demand(settings)
        (own, wanted) = (demand.own, demand.wanted)
        guard limit > 0 else {
            (clients, requests, adminClients) = (0, .max, server.maximumConnections)
            (lookups, fetches, fetchesPerHost) = (
                demand.lookups, origin.maximumFetches, origin.maximumFetchesPerHost
            )
            (sharedReads, sharedWrites) = (Settings.sharedReads, store.queue)
            (renditions, bounds) = (cache.openFiles, [])
            return
        }
        let rest = max(0, limit - own)
        // Cannot trap: `partOfOneLookup` is a product of constants.
        let all = min(demand.lookups, max(2, rest / Self.partOfOneLookup))
        lookups = demand.shares ? all / 2 : all
        fetches = min(origin.maximumFetches, lookups)
        fetchesPerHost =
            fetches < origin.maximumFetches
            ? max(1, origin.maximumFetchesPerHost * fetches / max(1, origin.maximumFetches))
            : origin.maximumFetchesPerHost
        sharedReads = min(Settings.sharedReads, lookups)
        renditions = min(cache.openFiles, rest / Self.partOfFiles)
        sharedWrites = min(store.queue, max(1, rest / Self.partOfFiles))
        requests = max(2, limit - min(rest / 4, demand.kept) - Self.perLookup * all)
        // The share for fetches, pictures being made, files being sent, and the admin listener.
        let share = min(max(4, rest / 8), Self.mostOfRequests)
        clients = max(1, requests - share)
        adminClients = min(server.maximumConnections, max(2, share / 2))
        bounds = [
            ("server.maximum-connections", server.maximumConnections, max(0, clients - own)),
            ("origin.maximum-fetches", origin.maximumFetches, fetches),
            ("origin.maximum-fetches-per-host", origin.maximumFetchesPerHost, fetchesPerHost),
            ("cache.open-files", cache.openFiles, renditions),
            ("shared-store.queue", demand.shares ? store.queue : 0, sharedWrites),
        ].filter { $0.most < $0.asked }
    }

    /// The most open connections of the public listener, by the setting and the limit.
    func connections(_ settings: Settings) -> Int {
        let most = settings.server.maximumConnections
        return clients > 0 ? min(most, max(0, clients - own)) : most
    }

    /// - Throws: if the limit leaves nothing for clients.
    func check() throws(UnusableSetting) {
        guard limit > 0, limit < own + Self.fewest else { return }
        throw UnusableSetting(
            description:
                "the limit of open files, \(limit), leaves nothing for clients: \(own) are open before the first client comes; \(own + Self.fewest) are the least that a start needs, and \(wanted) are enough for the settings"
        )
    }

    /// Raises the soft limit to the hard one, and returns it. The soft limit is 1,024 because of select(2),
    /// which nothing here calls.
    static func raise() -> Int { Int(pictor_raise_open_files()) }

    /// From now on the reserve is kept free.
    func keepReserve() { ReservedDescriptors.begin(at: requests) }

    func warn(to logger: Logger) {
        guard !bounds.isEmpty else { return }
        let list = bounds.map { "\($0.key): \($0.most) of \($0.asked)" }
        logger.warning(
            "the limit of open files is too low for the settings",
            metadata: [
                "limit": "\(limit)", "wanted": "\(wanted)", "bounded": "\(list.joined(separator: ", "))",
            ])
    }
}

extension OpenFiles {
    /// What the settings would need without a limit.
    private struct Demand {
        /// True if there is a shared store.
        let shares: Bool
        let own: Int
        /// Descriptors of the reserve, without those for lookups.
        let kept: Int
        /// Lookups for fetches and for reads of the shared store together.
        let lookups: Int
        let wanted: Int

        init(_ settings: Settings) {
            let (origin, cache, store) = (settings.origin, settings.cache, settings.sharedStore)
            shares = !store.bucket.isEmpty
            let redis = settings.fleet.redis.isEmpty ? 0 : 12
            let workers = settings.decoders + settings.poolSettings.spares + Settings.inspectors
            own =
                atStart + perIdleWorker * workers + perLoop * settings.loops + redis + (shares ? 8 : 0)
            kept = forTheRest + forZygotes + perWorker * workers + 2 * ProcessorLimit.ofMachine + redis
            let users = shares ? 2 : 1
            lookups = max(mostLookups, origin.maximumFetches * users)
            let besideLookups = settings.server.maximumConnections + kept + mostOfRequests
            let needs = [
                min(besideLookups + perLookup * lookups, besideLookups * 8 / 7 + partOfOneLookup),
                partOfOneLookup * users * max(origin.maximumFetches, shares ? Settings.sharedReads : 0),
                partOfFiles * max(cache.openFiles, shares ? store.queue : 0),
            ]
            wanted = own + (needs.max() ?? 0)
        }
    }
}
