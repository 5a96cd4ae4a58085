// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// How a client wants its picture handed over. It changes no pixel and is in no key, but for the exact target.
package struct Delivery: Sendable, Hashable {
    /// The form of the answer's body (`encoding=`).
    package enum Encoding: String, Sendable, Hashable, CaseIterable {
        /// The picture's bytes.
        case none
        /// A `data:` URL (RFC 2397) as text.
        case base64
    }

    /// The place to which a client is sent that cannot have its picture.
    package enum Fallback: Sendable, Hashable {
        /// The client is sent to the source itself.
        case source
        case url(SourceURL)
    }

    /// The urgency of a request (`priority=`); `low` is for prefetching.
    package enum Class: String, Sendable, Hashable, CaseIterable { case high, low }

    /// Nil where a refusal is answered as such.
    package var fallback: Fallback?
    /// The name without its extension: 1–78 of A–Z a–z 0–9 . _ -
    package var filename: String?
    /// The name as it was meant, where `filename` has other characters in place of some of its own.
    package var fullName: String?
    /// True for a picture that a browser saves and does not show.
    package var isAttachment = false
    /// Makes another URL of the same picture, and nothing else.
    package var version: String?
    /// The body's form; the picture's own bytes by default.
    package var encoding = Encoding.none
    /// Seconds for which clients may keep the answer, within the bounds of the settings.
    package var maxAge: Int?
    /// Low lets interactive requests go first.
    package var priority = Class.high
    /// Unix time in seconds from which on the URL is worth nothing.
    package var expiry: Int64?
    /// Frames were asked for in a format that holds one; folding leaves no trace of that in the recipe.
    package var hasFramesToLose = false
    /// The hints that the request depends on, beside its URL and its `Accept`.
    package var hints: HintFields = []

    /// The delivery of a query without delivery options.
    package init() {}
}

extension Delivery {
    /// Seconds, as `maxage` spells a lifetime; nil if the text is no lifetime.
    package static func lifetime(_ text: String) -> Int? { ValueGrammar<Int>.lifetime.read(text) }

    /// Where to go instead, for a request that was refused, perhaps because it makes no sense otherwise.
    /// - Parameter parse: reads a URL as the dialect does; nil for what is none.
    package static func fallback(
        in query: [UInt8], names: [String] = ["default"],
        parse: @escaping @Sendable (String) -> SourceURL? = { try? SourceURL.parse($0) }
    ) -> Fallback? {
        guard QueryParameters.mayHold(names, in: query) else { return nil }
        let parameters = QueryParameters(lenient: query[...]).parameters
        let wanted = names.lazy.compactMap { name in parameters.first { $0.name == name } }.first
        return wanted.flatMap { ValueGrammar.fallback(parse).read($0.value) }
    }
}
