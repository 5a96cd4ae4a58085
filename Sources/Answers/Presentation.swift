// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import HTTPServer
internal import ImageHeaders
package import Kernel
package import Pipeline
internal import Recipes
package import RequestGrammar

/// An answer in the form that its client asked for: the bytes, the entity tag and the fields of this target.
package struct Presentation {
    /// The form of the content.
    package enum Content {
        /// The rendition as it is.
        case picture
        /// The rendition as a `data:` URL.
        case dataURL(Base64Text)
        /// A description of the picture as JSON, with its quoted entity tag. It needs its own tag, because its text depends on the
        /// settings and on this program's version, which are not in the rendition's key.
        case report(Body, entityTag: String)
    }

    /// The pipeline's answer.
    package let answer: Answer<Body>
    /// The form of the content.
    package let content: Content
    /// Bounds on what clients may cache.
    package let policy: ClientPolicy
    /// The moment for which the fields were computed: `Cache-Control` counts from the `Age` of that moment.
    package let now: Timestamp
    /// When the URL was last given another meaning, as far as is known; nil for never.
    let rulesSince: Timestamp?
    /// The fields that all answers of this target share.
    package let fields: Fields
    /// The client hints that the answer depends on; the URL alone decides which.
    package let hints: HintFields

    /// Computes the fields for the moment `now`.
    /// - Parameters:
    ///   - variesByOrigin: true if pages of some sites may read the answer, and others may not.
    ///   - asksForHints: true if clients' hints are read.
    ///   - rulesSince: when the URL was last given another meaning, as far as is known. An earlier date in a condition confirms
    ///     nothing.
    package init(
        _ answer: Answer<Body>, _ content: Content, for request: ImageRequest, policy: ClientPolicy,
        variesByOrigin: Bool = false, asksForHints: Bool = false, rulesSince: Timestamp? = nil,
        now: Timestamp
    ) {
        self.answer = answer
        self.content = content
        self.policy = policy
        self.now = now
        self.rulesSince = rulesSince
        hints = request.delivery.hints
        entityTag = content.entityTag(of: answer.rendition)
        var fields = AnswerFields.of(
            content, entityTag, of: answer, for: request, policy: policy, variesByOrigin: variesByOrigin,
            asksForHints: asksForHints, now: now)
        if let note = AnswerFields.note(on: answer, to: request) {
            fields.append("Pictor-Note", note)
        }
        self.fields = fields
    }

    /// The bytes to send, unless `text` holds them.
    package var body: Body {
        switch content {
        case .picture, .dataURL: answer.body
        case .report(let body, _): body
        }
    }

    /// The `data:` URL to send; nil for other contents.
    package var text: Base64Text? {
        guard case .dataURL(let text) = content else { return nil }
        return text
    }

    /// Bytes of the whole content.
    package var length: Int { text?.count ?? body.length }

    /// The quoted tag of this content.
    package let entityTag: String
}

extension Presentation {
    /// When the representation last changed. It is no earlier than the rules, because the same original gives another representation
    /// under other rules.
    /// - Parameter date: when the original was last modified.
    func changed(_ date: Timestamp?) -> Timestamp? {
        guard let date, let rulesSince else { return date }
        return max(date, rulesSince)
    }

    /// True once the URL was given another meaning. A client's date in the future confirms nothing then: it may stem from before the
    /// change, by an origin's clock that is fast, or by ours if that was set back since.
    var hasOtherRules: Bool { rulesSince != nil }
}

extension Presentation.Content {
    func mediaType(of rendition: Rendition) -> String {
        switch self {
        case .picture: rendition.format.mediaType
        case .dataURL: "text/plain"
        case .report: "application/json"
        }
    }

    func fileExtension(of rendition: Rendition) -> String {
        switch self {
        case .picture: rendition.format.fileExtension
        case .dataURL: "txt"
        case .report: "json"
        }
    }

    /// Each representation has its own tag (RFC 9110 §8.8.3.3).
    func entityTag(of rendition: Rendition) -> String {
        switch self {
        case .picture: rendition.key.entityTag
        case .dataURL: rendition.key.entityTag.dropLast() + "-base64\""
        case .report(_, let tag): tag
        }
    }
}
