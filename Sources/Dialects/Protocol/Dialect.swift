// SPDX-License-Identifier: Apache-2.0

package import Answers
package import HTTPSemantics
package import Pipeline
package import RequestGrammar
package import Signatures

/// One language of image URLs, with all that is its own: which URLs are its, how they are read, what of them is
/// signed, and the words of its refusals and reports. A dialect is a folder with one type of this kind in it, a case
/// of `DialectName`, and a line in `Dialects`. Thumbor and Imagor share the type, `Operations/OperationDialect`: their folders
/// have a grammar each.
///
/// A value of it holds what the settings say of the dialect, its keys included where it has its own.
package protocol Dialect: Sendable {
    /// The case of `DialectName` that stands for it in metrics, logs and settings.
    var name: DialectName { get }
    /// Where its URLs begin, without the slash behind it: `/img`.
    var path: String { get }
    /// Not nil where its URLs say everything in their path. Such a dialect is asked after those that have paths of their
    /// own, and the one with the longest place first.
    var place: PathPlace? { get }
    /// Whether a preset or few options may stand in place of a signature (`signatures.free-presets`, `signatures.free-options`).
    var hasFreePresets: Bool { get }

    /// False where the settings leave it out: then none of its URLs is answered.
    var isServed: Bool { get }

    /// Whether a target is one of its URLs, if no dialect before it has said so.
    func holds(_ target: RequestTarget) -> Bool

    /// The target with the same meaning and all options in its query. Signatures are of this form, and the other methods get it.
    func plain(_ target: RequestTarget) -> RequestTarget

    /// The opposite: the URL, from its path on, that says what a query says, signed by the first of its keys; nil where
    /// there is none.
    func url(saying query: CanonicalQuery, by rule: SignatureRule) throws(Refusal) -> String?

    /// The part of a target that is signed, whatever the signature is worth.
    func form(of target: RequestTarget) -> SignedForm

    /// True for a target whose source is encrypted: without a right signature nobody may learn what it is.
    func hidesSource(_ target: RequestTarget) -> Bool

    /// Whether its URLs are answered without a signature.
    func isOpen(by rule: SignatureRule) -> Bool

    /// Lets the request in, as the settings have it and by the form of the URL that this dialect signs.
    func admit(
        _ target: RequestTarget, _ rule: SignatureRule, now: Timestamp
    ) throws(SignatureFailure) -> SignatureRule.Admission

    /// What to do about a URL that `admit` has not let in, in whole sentences; nil where the failure says it all.
    func advice(on failure: SignatureFailure, of target: RequestTarget, _ rule: SignatureRule) -> String?

    /// What a target asks for, whoever the client is.
    /// - Parameter target: of a signed URL what was signed.
    func read(_ target: RequestTarget) throws(Refusal) -> ImageRequest

    /// Reads a target for a client of these needs, where hints are read.
    func read(_ target: RequestTarget, _ needs: ClientNeeds) throws(Refusal) -> ImageRequest

    /// The meaning of a URL, as JSON, where it asks for that in place of a picture. It needs no signature.
    func meaning(of target: RequestTarget) -> String?

    /// The part of the client's `Accept` that `output=auto` may look at.
    func accepted(_ accept: AcceptClass) -> AcceptClass

    /// How a URL says where to send a client that cannot have its picture.
    var fallbacks: FallbackGrammar { get }

    /// The refusal as this dialect tells it.
    func tell(_ refusal: Refusal) -> Refusal

    /// Its names for the members of a description (`output=json`).
    var reportWords: ReportWords { get }
}

extension Dialect {
    /// Default: no preset replaces a signature.
    package var hasFreePresets: Bool { false }

    /// Default: the path is that of one page.
    package var place: PathPlace? { nil }

    /// Default: its URLs are answered.
    package var isServed: Bool { true }

    /// Default: the query says it all.
    package func plain(_ target: RequestTarget) -> RequestTarget { target }

    /// Default: the path, and the query behind it.
    package func url(saying query: CanonicalQuery, by rule: SignatureRule) throws(Refusal) -> String? {
        rule.sign(query, path: path)
    }

    /// Default: the path and the canonical form of the query.
    package func form(of target: RequestTarget) -> SignedForm { SignedForm(ofQueryIn: target) }

    /// Default: sources are there to be read.
    package func hidesSource(_ target: RequestTarget) -> Bool { false }

    /// Default: as `signatures.required` has it.
    package func isOpen(by rule: SignatureRule) -> Bool { !rule.required.contains(name) }

    /// Default: the path alone decides, or the place.
    package func holds(_ target: RequestTarget) -> Bool {
        guard let place else { return target.path == path }
        return place.rest(of: target.rawPath[...]) != nil
    }

    /// Default: the signature is in the query.
    package func admit(
        _ target: RequestTarget, _ rule: SignatureRule, now: Timestamp
    ) throws(SignatureFailure) -> SignatureRule.Admission {
        try rule.admit(target, at: name, allowsPresets: hasFreePresets, now: now)
    }

    /// Default: URLs mean the same whoever the client is.
    package func read(_ target: RequestTarget, _ needs: ClientNeeds) throws(Refusal) -> ImageRequest {
        try read(target)
    }

    /// Default: no URL asks for that.
    package func meaning(of target: RequestTarget) -> String? { nil }

    /// Default: URLs name no fallback.
    package var fallbacks: FallbackGrammar { .none }

    /// Default: the refusal as it is.
    package func tell(_ refusal: Refusal) -> Refusal { refusal }

    /// Default: the words of the native dialect.
    package var reportWords: ReportWords { .native }
}

extension Dialect {
    /// The question that this URL asks, whoever the client is.
    package func question(_ asked: ImageRequest, _ accept: AcceptClass) -> PipelineRequest {
        var question = PipelineRequest(
            source: asked.source, recipe: asked.boxedRecipe, accepted: accepted(accept),
            priority: asked.delivery.priority == .low ? .prefetch : .interactive)
        question.terms = asked.terms
        return question
    }
}
