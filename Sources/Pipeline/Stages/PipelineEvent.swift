// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// An event for the operator's log.
package enum PipelineEvent: Sendable, Hashable {
    /// Strangers have used up the original's quota of `limit` renditions in this hour. Reported once an hour for each original; `key`
    /// is one of its URLs.
    case scanned(key: OriginalKey, limit: Int)
    case origin(OriginHealthEvent)
}
