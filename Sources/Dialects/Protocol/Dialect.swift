// SPDX-License-Identifier: Apache-2.0

package import Answers
package import HTTPSemantics
package import Pipeline
package import RequestGrammar
package import Signatures

/// One language of image URLs: which URLs belong to it, how they are read, which part of them is signed, and the words of its
/// refusals and reports. A dialect is a folder with one type of this kind in it, a case of `DialectName`, and a line in `Dialects`.
/// Thumbor and Imagor share the type `Operations/OperationDialect`, and have only a grammar each in their folders.
///
/// A value holds the settings of the dialect, including its keys if it has its own.
package protocol Dialect: Sendable {
    /// The case of `DialectName` for metrics, logs and settings.
    var name: DialectName { get }
    /// The beginning of its URLs, without the slash after it: `/img`.
    var path: String { get }
    /// The place of its URLs if they have everything in their path; nil for others. Such a dialect is asked after those with fixed
    /// paths, and among them the one with the longest place first.
    var place: PathPlace? { get }
    /// True if a preset or certain options may be used without a signature (`signatures.free-presets`, `signatures.free-options`).
    var hasFreePresets: Bool { get }

    /// False if the settings disable the dialect; then none of its URLs is answered.
    var isServed: Bool { get }

    /// True if a target is one of its URLs, provided that no dialect asked before has claimed it.
    func holds(_ target: RequestTarget) -> Bool

    /// The equivalent target with all options in its query. Signatures cover this form, and the other methods get it.
    func plain(_ target: RequestTarget) -> RequestTarget

    /// The opposite of `plain`: the URL, from its path on, that is equivalent to a query, signed by the first of the dialect's keys;
    /// nil without a key.
    func url(saying query: CanonicalQuery, by rule: SignatureRule) throws(Refusal) -> String?

    /// The part of a target that is signed, whether or not the signature is right.
    func form(of target: RequestTarget) -> SignedForm

    /// True for a target with an encrypted source, which must not be revealed without a right signature.
    func hidesSource(_ target: RequestTarget) -> Bool

    /// True if its URLs are answered without a signature.
    func isOpen(by rule: SignatureRule) -> Bool

    /// Admits a request by the settings and by the form of the URL that this dialect signs.
    func admit(
        _ target: RequestTarget, _ rule: SignatureRule, now: Timestamp
    ) throws(SignatureFailure) -> SignatureRule.Admission

    /// What to do about a URL that `admit` refused, in whole sentences; nil if the failure itself says enough.
    func advice(on failure: SignatureFailure, of target: RequestTarget, _ rule: SignatureRule) -> String?

    /// Reads what a target asks for, for any client.
    /// - Parameter target: for a signed URL, the form that was signed.
    func read(_ target: RequestTarget) throws(Refusal) -> ImageRequest

    /// Reads what a target asks for, for a client with these needs, if hints are read.
    func read(_ target: RequestTarget, _ needs: ClientNeeds) throws(Refusal) -> ImageRequest

    /// The meaning of a URL as JSON, if the URL asks for that instead of a picture. Needs no signature.
    func meaning(of target: RequestTarget) -> String?

    /// The part of the client's `Accept` that `output=auto` may use.
    func accepted(_ accept: AcceptClass) -> AcceptClass

    /// How a URL says where to redirect a client that cannot have its picture.
    var fallbacks: FallbackGrammar { get }

    /// The refusal in the words and form of this dialect.
    func tell(_ refusal: Refusal) -> Refusal

    /// Its names for the members of a description (`output=json`).
    var reportWords: ReportWords { get }
}

extension Dialect {
    /// Default: no preset replaces a signature.
    package var hasFreePresets: Bool { false }

    /// Default: a fixed path.
    package var place: PathPlace? { nil }

    /// Default: it is served.
    package var isServed: Bool { true }

    /// Default: the query has everything already.
    package func plain(_ target: RequestTarget) -> RequestTarget { target }

    /// Default: the path, followed by the signed query.
    package func url(saying query: CanonicalQuery, by rule: SignatureRule) throws(Refusal) -> String? {
        rule.sign(query, path: path)
    }

    /// Default: the path and the canonical form of the query.
    package func form(of target: RequestTarget) -> SignedForm { SignedForm(ofQueryIn: target) }

    /// Default: sources are not encrypted.
    package func hidesSource(_ target: RequestTarget) -> Bool { false }

    /// Default: by `signatures.required`.
    package func isOpen(by rule: SignatureRule) -> Bool { !rule.required.contains(name) }

    /// Default: by the path, or by the place.
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

    /// Default: hints have no effect.
    package func read(_ target: RequestTarget, _ needs: ClientNeeds) throws(Refusal) -> ImageRequest {
        try read(target)
    }

    /// Default: no URL asks for its meaning.
    package func meaning(of target: RequestTarget) -> String? { nil }

    /// Default: URLs name no fallback.
    package var fallbacks: FallbackGrammar { .none }

    /// Default: the refusal unchanged.
    package func tell(_ refusal: Refusal) -> Refusal { refusal }

    /// Default: the words of the native dialect.
    package var reportWords: ReportWords { .native }
}

extension Dialect {
    /// The pipeline's request for this URL, without the client.
    package func question(_ asked: ImageRequest, _ accept: AcceptClass) -> PipelineRequest {
        var question = PipelineRequest(
            source: asked.source, recipe: asked.boxedRecipe, accepted: accepted(accept),
            priority: asked.delivery.priority == .low ? .prefetch : .interactive)
        question.terms = asked.terms
        return question
    }
}
