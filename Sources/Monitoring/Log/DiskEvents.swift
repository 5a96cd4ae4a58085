// SPDX-License-Identifier: Apache-2.0

package import Logging
internal import Stores

extension DiskEvent {
    /// Logs the event; a sweep only once it has finished.
    package func log(to logger: Logger) {
        switch self {
        case .swept(let report):
            guard report.state == .finished else { return }
            logger.info(
                "cache swept",
                metadata: [
                    "checked": "\(report.checked)", "orphans": "\(report.orphans)",
                    "adopted": "\(report.adopted)", "dropped": "\(report.dropped)",
                ])
        case .dropped(let files):
            logger.error(
                "files of the cache on disk were damaged or could not be read, and are dropped",
                metadata: [
                    "files": "\(files.count)", "last": "\(files.last)", "why": "\(files.reason)",
                ])
        case .indexSetAside(let path):
            logger.warning("the cache's index was damaged and is built anew", metadata: ["old": "\(path)"])
        case .reopening(let reason):
            logger.warning("the cache on disk is opened anew", metadata: ["why": "\(reason)"])
        case .unconfirmed(let count):
            logger.warning(
                "the cache on disk may hold what was purged meanwhile, or what other rules let in: all that it holds is confirmed anew",
                metadata: ["originals": "\(count)"])
        case .trouble(let health, let failures):
            logger.error(
                "\(health.words ?? "the cache on disk is in trouble")",
                metadata: ["failed-writes": "\(failures)"])
        case .recovered:
            logger.notice("the cache on disk keeps new pictures again")
        }
    }
}

extension DiskHealth {
    /// The state in words for operators, in the log and on the health page; nil for a healthy disk.
    package var words: String? {
        switch self {
        case .good: nil
        case .notKeeping(let reason): "the cache on disk keeps nothing new: \(reason)"
        case .absent(let reason): "there is no cache on disk: \(reason)"
        }
    }
}
