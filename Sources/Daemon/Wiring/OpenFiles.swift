// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DecoderPool
internal import Kernel
internal import Logging
internal import Settings

/// The process's limit of open files (RLIMIT_NOFILE, getrlimit(2)), and how it is shared out.
///
///     0        own         clients           requests               limit
///     | own    | clients   | requests        | reserve              |
///
/// `own` are open from the start, and the other parts share what is left.
/// The kernel gives out the lowest number that is free. So each part may take the free numbers of the parts before it, and no
/// number of the parts behind it: clients of the public listener have numbers below `clients`; sockets and files of requests, and clients of
/// the admin listener, have numbers below `requests`. The reserve is for what nobody counts: libdispatch, worker processes that
/// are started anew, the index, Redis, and the lookups of names (`ReservedDescriptors`).
struct OpenFiles {
    let limit: Int
    /// Descriptors that are open before the first client, by the settings.
    let own: Int
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
    /// Fetches at once from one host: of all fetches the part that the settings say.
    let fetchesPerHost: Int
    /// Reads of the shared store at once.
    let sharedReads: Int
    /// Renditions that are kept open.
    let renditions: Int
    /// Objects that wait to be written to the shared store, some of which are files.
    let sharedWrites: Int
    /// The limit with which no setting is bounded.
    let wanted: Int
    /// Settings with what they ask for and what the limit allows.
    let bounds: [(key: String, asked: Int, most: Int)]

    /// A lookup in glibc's and libcurl's hands: a pair of sockets that wakes the one who asked, one to the name server, and for
    /// a moment a file.
    private static let perLookup = 4
    /// A worker process: its socket, its standard error, two files of /proc and an event, and three more while it is started.
    private static let perWorker = 8
    /// The processes that workers are forked from: a socket each, and its other end while they are started.
    private static let forZygotes = 2 * 2
    /// Descriptors of SQLite, of files that are read at a reload, of a connection on its way to being turned away, and those held for
    /// a moment by a library.
    private static let forTheRest = 32
    /// Descriptors of the process: logs, the index, folders, events. The others are counted: 5 for each worker process and 4
    /// for each event loop.
    private static let atStart = 28
    private static let (perIdleWorker, perLoop) = (5, 4)
    /// Lookups have one part of so many.
    private static let partOfLookups = 8
    private static let partOfOneLookup = partOfLookups * perLookup
    /// Each is a thread. A fetch may need one, so more fetches have more.
    private static let mostLookups = 1_024
    /// Renditions that are kept open, and objects that wait to be written, have one part of so many each.
    private static let partOfFiles = 16
    /// The most that requests and clients of the admin listener have for themselves.
    private static let mostOfRequests = 256
    /// Beside those that are open from the start: for 4 clients or more.
    private static let fewest = 24

    /// - Parameter limit: 0 or less if it is not known; then nothing is bounded by it.
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
        // Cannot trap: a product of constants.
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
        // For fetches, pictures being made, files being sent, and the admin listener.
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

    /// Open connections of the public listener, by the setting and by the limit.
    func connections(_ settings: Settings) -> Int {
        let most = settings.server.maximumConnections
        return clients > 0 ? min(most, max(0, clients - own)) : most
    }

    /// - Throws: where the limit leaves nothing for clients.
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

    /// Keeps the reserve from now on.
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
    /// What the settings ask for, whatever the limit is.
    private struct Demand {
        /// True with a shared store.
        let shares: Bool
        let own: Int
        /// Of the reserve, without the lookups.
        let kept: Int
        /// For fetches and reads of the shared store together.
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
