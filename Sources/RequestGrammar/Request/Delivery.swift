// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// How a client wants its picture delivered. It changes no pixel and is in no key, except in the exact target.
package struct Delivery: Sendable, Hashable {
    /// The form of the answer's body (`encoding=`).
    package enum Encoding: String, Sendable, Hashable, CaseIterable {
        /// The picture's bytes.
        case none
        /// A `data:` URL (RFC 2397) as text.
        case base64
    }

    /// The place to which a client is redirected if it cannot have its picture.
    package enum Fallback: Sendable, Hashable {
        /// A redirect to the source itself.
        case source
        case url(SourceURL)
    }

    /// The urgency of a request (`priority=`); `low` is for prefetching.
    package enum Class: String, Sendable, Hashable, CaseIterable { case high, low }

    /// Where a refused client is redirected; nil if it gets the refusal.
    package var fallback: Fallback?
    /// The file name without its extension: 1–78 of A–Z a–z 0–9 . _ -
    package var filename: String?
    /// The intended file name, if `filename` replaces some of its characters by others; nil otherwise.
    package var fullName: String?
    /// True if a browser should save the picture and not show it.
    package var isAttachment = false
    /// Makes a different URL for the same picture; has no other effect.
    package var version: String?
    /// The body's form; the picture's own bytes by default.
    package var encoding = Encoding.none
    /// Seconds for which clients may keep the answer, within the bounds of the settings.
    package var maxAge: Int?
    /// Low lets interactive requests go first.
    package var priority = Class.high
    /// Unix time in seconds from which on the URL is no longer valid.
    package var expiry: Int64?
    /// True if frames were requested in a format that holds only one; canonicalisation removes that from the recipe.
    package var hasFramesToLose = false
    /// The hints that the request depends on, in addition to its URL and its `Accept`.
    package var hints: HintFields = []

    /// The delivery of a query without delivery options.
    package init() {}
}
