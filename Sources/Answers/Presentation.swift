// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import HTTPServer
internal import ImageHeaders
package import Kernel
package import Pipeline
internal import Recipes
package import RequestGrammar

/// An answer as its client wants it handed over: the bytes, the tag and the fields that this target has.
package struct Presentation {
    /// What is sent.
    package enum Content {
        /// The rendition as it is.
        case picture
        /// The rendition as a `data:` URL.
        case dataURL(Base64Text)
        /// What is known of the picture, as JSON.
        case report(Body)
    }

    package let answer: Answer<Body>
    package let content: Content
    /// Of what its client is told.
    package let policy: ClientPolicy
    /// The moment for which its fields were reckoned: what `Cache-Control` grants is counted from the `Age` beside it.
    package let now: Timestamp
    package let fields: Fields

    package init(
        _ answer: Answer<Body>, _ content: Content, for request: ImageRequest, policy: ClientPolicy,
        now: Timestamp
    ) {
        self.answer = answer
        self.content = content
        self.policy = policy
        self.now = now
        let filename = request.delivery.filename.map {
            "\($0).\(content.fileExtension(of: answer.rendition))"
        }
        var fields = AnswerFields.of(
            answer, type: content.mediaType(of: answer.rendition),
            entityTag: content.entityTag(of: answer.rendition),
            filename: filename, source: request.source, policy: policy, now: now)
        if let note = AnswerFields.note(on: answer, to: request) {
            fields.append("Pictor-Note", note)
        }
        self.fields = fields
    }

    /// The bytes that it is made of: what is sent, unless `text` is.
    package var body: Body {
        switch content {
        case .picture, .dataURL: answer.body
        case .report(let body): body
        }
    }

    package var text: Base64Text? {
        guard case .dataURL(let text) = content else { return nil }
        return text
    }

    /// Bytes that are sent of the whole.
    package var length: Int { text?.count ?? body.length }

    package var entityTag: String { content.entityTag(of: answer.rendition) }
}

extension Presentation.Content {
    fileprivate func mediaType(of rendition: Rendition) -> String {
        switch self {
        case .picture: rendition.format.mediaType
        case .dataURL: "text/plain"
        case .report: "application/json"
        }
    }

    fileprivate func fileExtension(of rendition: Rendition) -> String {
        switch self {
        case .picture: rendition.format.fileExtension
        case .dataURL: "txt"
        case .report: "json"
        }
    }

    /// Each representation has its own (RFC 9110 §8.8.3.3).
    fileprivate func entityTag(of rendition: Rendition) -> String {
        let tag = rendition.key.entityTag
        switch self {
        case .picture, .report: return tag
        case .dataURL: return tag.dropLast() + "-base64\""
        }
    }
}
