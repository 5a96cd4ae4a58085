// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import HTTPCaching
package import HTTPSemantics
package import HTTPServer
package import Pipeline
package import RequestGrammar
package import Signatures
package import SourceURLs

/// How each dialect's URLs are read, and how its refusals are told.
extension Dialect {
    package func read(_ query: [UInt8], _ rules: DialectRules) throws(Refusal) -> ImageRequest {
        switch self {
        case .native:
            do throws(RequestError) {
                return try ImageRequest.parse(query: query, vocabulary: rules.vocabulary)
            } catch {
                throw Refusal(ErrorResponse(error))
            }
        case .weserv:
            do throws(RequestError) {
                return try ImageRequest.parse(weserv: query, vocabulary: rules.vocabulary)
            } catch {
                throw Refusal(ErrorResponse(error))
            }
        case .next:
            do throws(NextRefusal) {
                return try ImageRequest.parse(next: query, rules: rules.next)
            } catch {
                throw Refusal(ErrorResponse(.badParameter, error.message), form: .text)
            }
        }
    }

    /// What `output=auto` may look at.
    package func accepted(_ accept: AcceptClass, _ rules: DialectRules) -> AcceptClass {
        self == .next ? accept.intersection(rules.nextFormats) : accept
    }

    /// What anybody would ask by this URL.
    package func question(_ asked: ImageRequest, _ accept: AcceptClass, _ rules: DialectRules)
        -> PipelineRequest
    {
        PipelineRequest(
            source: asked.source, recipe: asked.recipe, accepted: accepted(accept, rules),
            priority: asked.delivery.priority == .low ? .prefetch : .interactive)
    }

    /// The answer to a request that failed: in this endpoint's words, or where the request wanted to be sent then.
    package func response(
        to refusal: Refusal, of source: SourceURL?, _ admission: SignatureRule.Admission,
        _ rules: DialectRules,
        now: Timestamp
    ) -> Response {
        let told = tell(refusal, rules).ending(at: admission.expiry, now: now)
        let goal = goal(after: refusal, of: source, admission, rules)
        let response = goal.map { told.response(redirectingTo: $0) } ?? told.response
        return response.asked(at: self)
    }

    /// Where the request wanted to be sent, if it may be.
    private func goal(
        after refusal: Refusal, of source: SourceURL?, _ admission: SignatureRule.Admission,
        _ rules: DialectRules
    ) -> SourceURL? {
        guard let fallback = Delivery.fallback(in: admission.query, names: fallbackNames),
            rules.fallbacks.allows(fallback, of: source, at: self, admission.ground)
        else { return nil }
        return switch fallback {
        case .url(let url): url
        case .source: refusal.allowsSource ? source : nil
        }
    }

    /// Where a wrong value is a mistake, a default that leads where it may not is one, whether it is needed
    /// or not.
    func checkFallback(
        of asked: ImageRequest, _ admission: SignatureRule.Admission, _ rules: DialectRules
    ) throws(Refusal) {
        guard self == .native, let fallback = Delivery.fallback(in: admission.query, names: fallbackNames),
            !rules.fallbacks.allows(fallback, of: asked.source, at: self, admission.ground)
        else { return }
        throw Refusal(FallbackRule.refusal)
    }

    /// The refusal as this endpoint tells it.
    private func tell(_ refusal: Refusal, _ rules: DialectRules) -> Refusal {
        guard self == .weserv, rules.tellsAsWeserv else { return refusal }
        return Refusal(WeservWords.of(refusal), outcome: refusal.outcome, form: .weserv)
    }

    /// Parameters that say where to go instead.
    var fallbackNames: [String] {
        switch self {
        case .native: ["default"]
        case .weserv: ["default", "errorredirect"]
        case .next: []
        }
    }
}
