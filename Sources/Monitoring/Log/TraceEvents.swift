// SPDX-License-Identifier: Apache-2.0

package import Logging
package import TraceExport

extension SpanExporter.Event {
    /// Logs the event: a warning when spans are lost, a notice when the collector accepts them again.
    package func log(to logger: Logger) {
        switch self {
        case .lost(let spans, let reason):
            logger.warning(
                "the collector took no traces", metadata: ["spans": "\(spans)", "reason": "\(reason)"])
        case .rejected(let spans, let reason):
            logger.warning(
                "the collector left spans out", metadata: ["spans": "\(spans)", "reason": "\(reason)"])
        case .recovered:
            logger.notice("the collector takes traces again")
        }
    }
}
