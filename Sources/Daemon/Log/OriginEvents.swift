// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Pipeline

extension OriginHealthEvent {
    /// The origins' lines in the log: one when it is left alone, one when it is well again.
    func log(to logger: Logger) {
        let metadata: Logger.Metadata = ["origin": "\(origin)", "rest": "\(rest)ms"]
        switch kind {
        case .rests(let cause):
            logger.warning("origin is left alone: it \(cause.words)", metadata: metadata)
        case .probeFailed(let cause):
            logger.debug("origin is still left alone: it \(cause.words)", metadata: metadata)
        case .recovered:
            logger.notice("origin is well again", metadata: ["origin": "\(origin)"])
        }
    }
}
