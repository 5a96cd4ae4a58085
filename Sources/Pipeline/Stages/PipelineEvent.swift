// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// An event for the operator's log.
package enum PipelineEvent: Sendable, Hashable {
    /// Strangers have used up the picture's renditions of this hour, `limit` of them. Reported once an hour
    /// for each picture; `key` is one of its URLs.
    case scanned(key: OriginalKey, limit: Int)
    case origin(OriginHealthEvent)
}
