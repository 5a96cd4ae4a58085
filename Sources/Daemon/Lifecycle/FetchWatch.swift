// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Logging
internal import Origin

/// A watchdog over the network thread: logs its stalls, and ends the process if the thread does not recover.
///
/// Cached pictures are served meanwhile. But a thread that hangs inside a C library can be neither ended nor replaced, because it
/// may hold locks, and without it no picture is fetched.
enum FetchWatch {
    /// EX_SOFTWARE of sysexits.h: with `Restart=on-failure`, systemd restarts the daemon.
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
            // Leaves time for the line to be written. An orderly shutdown would wait for the hung thread.
            try? await Task.sleep(for: .milliseconds(200))
            _exit(status)
        }
    }
}
