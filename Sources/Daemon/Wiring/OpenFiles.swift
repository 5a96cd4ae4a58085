// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Logging
internal import Settings

/// The process's limit of open files (RLIMIT_NOFILE, getrlimit(2)).
enum OpenFiles {
    /// Lifts the soft limit to the hard one; the limit that holds. The soft one is 1,024 for the sake of select(2),
    /// which nothing here calls.
    static func raise() -> Int { Int(pictor_raise_open_files()) }

    /// Descriptors below which a client's must be: an eighth of the limit, and 256 at most, is kept for what its request takes. A
    /// fetch takes two, a picture that is made takes two, and a file that is sent one.
    static func forConnections(of limit: Int) -> Int { limit <= 0 ? 0 : limit - min(limit / 8, 256) }

    static func warn(_ settings: Settings, limit: Int, to logger: Logger) {
        let wanted = wanted(by: settings)
        guard limit < wanted else { return }
        logger.warning(
            "the limit of open files is too low for server.maximum-connections",
            metadata: ["limit": "\(limit)", "wanted": "\(wanted)"])
    }

    /// A client each, the renditions kept open, a socket and a file for each fetch, two files for each picture being
    /// made, and 200 for all that is opened once.
    static func wanted(by settings: Settings) -> Int {
        settings.server.maximumConnections + settings.cache.openFiles + 2 * settings.origin.maximumFetches
            + 2 * settings.decoders + 200
    }
}
