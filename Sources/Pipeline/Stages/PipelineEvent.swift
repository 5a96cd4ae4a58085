// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// An event for the operator's log.
package enum PipelineEvent: Sendable, Hashable {
    /// Strangers asked for so many renditions of that picture within an hour that further ones are refused. Told once
    /// an hour for each; `key` is one of its URLs.
    case scanned(key: OriginalKey, limit: Int)
    case origin(OriginHealthEvent)
}
