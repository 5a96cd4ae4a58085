// SPDX-License-Identifier: Apache-2.0

package import Logging
internal import Pipeline

extension OriginHealthEvent {
    /// The origins' lines in the log: one when it is left alone, one when it is well again.
    package func log(to logger: Logger) {
        let whom = isForOneClient ? "the client whose requests failed" : "everybody"
        let metadata: Logger.Metadata = ["origin": "\(origin)", "rest": "\(rest)ms", "for": "\(whom)"]
        switch kind {
        case .rests:
            logger.warning("origin is left alone: it failed again and again", metadata: metadata)
        case .probeFailed:
            logger.debug("origin is still left alone: it failed again and again", metadata: metadata)
        case .recovered:
            logger.notice("origin is well again", metadata: ["origin": "\(origin)"])
        }
    }
}
