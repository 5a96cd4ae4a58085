// SPDX-License-Identifier: Apache-2.0

package import Answers
package import HTTPSemantics
package import Pipeline
package import RequestGrammar
package import Signatures

/// One language of image URLs, with all that is its own: which URLs are its, how they are read, what of them is
/// signed, and the words of its refusals and reports. A dialect is a folder with one type of this kind in it, a case
/// of `DialectName`, and a line in `Dialects`.
///
/// A value of it holds what the settings say of the dialect.
package protocol Dialect: Sendable {
    /// The case of `DialectName` that stands for it in metrics, logs and settings.
    static var name: DialectName { get }
    /// Where its URLs begin, without the slash behind it: `/img`.
    static var path: String { get }
    /// Whether a preset may stand in place of a signature (`signatures.free-presets`).
    static var hasFreePresets: Bool { get }

    /// False where the settings leave it out: then none of its URLs is answered.
    var isServed: Bool { get }

    /// Whether a target is one of its URLs, if no dialect before it has said so.
    static func holds(_ target: RequestTarget) -> Bool

    /// The target that says in its query all that this one says. It is what is signed, and what the other methods get.
    func plain(_ target: RequestTarget) -> RequestTarget

    /// The opposite: the URL, from its path on, that says what a query says, and is signed so.
    func text(of query: CanonicalQuery, signature: String) -> String

    /// Lets the request in, as the settings have it and by the form of the URL that this dialect signs.
    func admit(
        _ target: RequestTarget, _ rule: SignatureRule, now: Timestamp
    ) throws(SignatureFailure) -> SignatureRule.Admission

    /// - Parameter target: of a signed URL what was signed.
    func read(_ target: RequestTarget) throws(Refusal) -> ImageRequest

    /// The part of the client's `Accept` that `output=auto` may look at.
    func accepted(_ accept: AcceptClass) -> AcceptClass

    /// How a URL says where to send a client that cannot have its picture.
    var fallbacks: FallbackGrammar { get }

    /// The refusal as this dialect tells it.
    func tell(_ refusal: Refusal) -> Refusal

    /// How it names what is told of a picture.
    var reportWords: ReportWords { get }
}

extension Dialect {
    /// Default: no preset replaces a signature.
    package static var hasFreePresets: Bool { false }

    /// Default: its URLs are answered.
    package var isServed: Bool { true }

    /// Default: the query says it all.
    package func plain(_ target: RequestTarget) -> RequestTarget { target }

    /// Default: the path, and the query behind it.
    package func text(of query: CanonicalQuery, signature: String) -> String {
        "\(Self.path)?\(String(decoding: query.bytes, as: UTF8.self))&sig=\(signature)"
    }

    /// Default: the path alone decides.
    package static func holds(_ target: RequestTarget) -> Bool { target.path == path }

    /// Default: the signature is in the query.
    package func admit(
        _ target: RequestTarget, _ rule: SignatureRule, now: Timestamp
    ) throws(SignatureFailure) -> SignatureRule.Admission {
        try rule.admit(target, at: Self.name, allowsPresets: Self.hasFreePresets, now: now)
    }

    /// Default: everything that the client accepts.
    package func accepted(_ accept: AcceptClass) -> AcceptClass { accept }

    /// Default: URLs name no fallback.
    package var fallbacks: FallbackGrammar { .none }

    /// Default: the refusal as it is.
    package func tell(_ refusal: Refusal) -> Refusal { refusal }

    /// Default: the words of the native dialect.
    package var reportWords: ReportWords { .native }
}

extension Dialect {
    /// The static `name`, for a value whose type is not known.
    package var name: DialectName { Self.name }
    /// The static `path`, for a value whose type is not known.
    package var path: String { Self.path }

    /// The question that this URL asks, whoever the client is.
    package func question(_ asked: ImageRequest, _ accept: AcceptClass) -> PipelineRequest {
        PipelineRequest(
            source: asked.source, recipe: asked.recipe, accepted: accepted(accept),
            priority: asked.delivery.priority == .low ? .prefetch : .interactive)
    }
}
