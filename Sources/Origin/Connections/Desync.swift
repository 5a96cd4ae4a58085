// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// A connection found out of step (response desynchronisation), or one whose end left its state undecidable.
package struct Desync: Sendable {
    /// The origin of the connection's requests.
    package let origin: SourceOrigin
    /// True if the connection was out of step, false if that is undecidable.
    package let isCertain: Bool
    /// Keys of the originals whose answers may belong to other requests, each once. The keys stay in `UnprovenAnswers` until the
    /// receiver of this report has removed them from the caches.
    package let forgotten: Set<OriginalKey>
}
