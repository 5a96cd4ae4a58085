// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Logging
internal import Origin

/// Looks at the pulse of the thread of all fetches, and ends the process where that thread does not come
/// back.
///
/// Everything that is held is still served meanwhile. But a thread that hangs inside of a C library can
/// neither be ended nor replaced without its locks, and without it no picture is fetched any more.
enum FetchWatch {
    /// EX_SOFTWARE of sysexits.h: `Restart=on-failure` starts it anew.
    static let status: Int32 = 70

    static func start(_ downloader: Downloader, logger: Logger) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                if let event = downloader.look() { await act(on: event, logger) }
                try? await Task.sleep(for: StallWatch.interval)
            }
        }
    }

    private static func act(on event: StallWatch.Event, _ logger: Logger) async {
        switch event {
        case .began(let late):
            logger.error(
                "fetching stands still: every fetch is given up", metadata: ["for": "\(late / 1000)ms"])
        case .ended(let after):
            logger.notice("fetching goes on", metadata: ["after": "\(after / 1000)ms"])
        case .hopeless(let late):
            logger.critical(
                "fetching stands still for good: the daemon ends itself",
                metadata: ["for": "\(late / 1000)ms", "status": "\(status)"])
            // The line's way out; an orderly shutdown would wait for the very thread.
            try? await Task.sleep(for: .milliseconds(200))
            _exit(status)
        }
    }
}
