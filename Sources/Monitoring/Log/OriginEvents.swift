// SPDX-License-Identifier: Apache-2.0

package import Logging
internal import Pipeline

extension OriginHealthEvent {
    /// Logs the event: a warning when Pictor begins to leave the origin alone, a notice when the origin answers well again.
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
