// SPDX-License-Identifier: Apache-2.0

package import Logging
internal import Pipeline
internal import SourceURLs

extension PipelineEvent {
    package func log(to logger: Logger) {
        switch self {
        case .scanned(let key, let limit):
            logger.warning(
                "too many renditions of one original; further ones are refused for now",
                metadata: ["source": "\(key.url)", "limit": "\(limit)"])
        case .origin(let event): event.log(to: logger)
        }
    }
}
