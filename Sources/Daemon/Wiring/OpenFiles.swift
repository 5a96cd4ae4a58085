// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Logging
internal import Settings

/// The process's limit of open files (RLIMIT_NOFILE, getrlimit(2)).
enum OpenFiles {
    /// Raises the soft limit to the hard one, and returns it. The soft limit is 1,024 because of select(2),
    /// which nothing here calls.
    static func raise() -> Int { Int(pictor_raise_open_files()) }

    /// The limit for clients' descriptors: an eighth of the process's limit, at most 256, is kept for their
    /// requests. A fetch takes two, a picture being made takes two, a file being sent takes one.
    static func forConnections(of limit: Int) -> Int { limit <= 0 ? 0 : limit - min(limit / 8, 256) }

    static func warn(_ settings: Settings, limit: Int, to logger: Logger) {
        let wanted = wanted(by: settings)
        guard limit < wanted else { return }
        logger.warning(
            "the limit of open files is too low for server.maximum-connections",
            metadata: ["limit": "\(limit)", "wanted": "\(wanted)"])
    }

    /// Descriptors that the settings need: one for each client and each open rendition, two for each fetch (a
    /// socket and a file), two for each picture being made, one for what waits for the shared store and two for what
    /// is read of it, twelve for Redis (three connections, each with what wakes it, and files of purges), and 200 for all that is opened once.
    static func wanted(by settings: Settings) -> Int {
        settings.server.maximumConnections + settings.cache.openFiles + 2 * settings.origin.maximumFetches
            + 2 * settings.decoders + 200
            + (settings.sharedStore.bucket.isEmpty
                ? 0 : settings.sharedStore.queue + 2 * Settings.sharedReads)
            + (settings.fleet.redis.isEmpty ? 0 : 12)
    }
}
