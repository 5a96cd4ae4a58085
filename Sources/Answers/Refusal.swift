// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import HTTPServer
package import Pipeline
package import SourceURLs

/// A refusal on its way to the client.
package struct Refusal: Error {
    package let words: ErrorResponse
    package let outcome: Outcome
    package let form: ErrorResponse.Form
    /// The pipeline's failure behind it; nil where the pipeline was not asked.
    package let failure: PipelineFailure?

    package init(
        _ words: ErrorResponse, outcome: Outcome = .refused, form: ErrorResponse.Form = .json,
        failure: PipelineFailure? = nil
    ) {
        self.words = words
        self.outcome = outcome
        self.form = form
        self.failure = failure
    }

    package init(_ failure: PipelineFailure) {
        self.init(ErrorResponse(failure), outcome: failure.outcome, failure: failure)
    }

    /// The same refusal, stored by clients for no longer than its URL is valid.
    package func ending(at expiry: Int64?, now: Timestamp) -> Refusal {
        guard let expiry, let remembered = words.remembered else { return self }
        var words = words
        words.remembered = min(remembered, max(0, Int(expiry - now.seconds)))
        words.hasEnd = true
        return Refusal(words, outcome: outcome, form: form, failure: failure)
    }

    package var response: Response { words.response(tag: outcome.tag, form: form) }

    /// A redirect to `url` in place of the refusal (RFC 9110 §15.4.3). Clients may store it as long as the refusal.
    package func response(redirectingTo url: SourceURL) -> Response {
        var response = response
        response.status = 302
        response.fields.remove("Retry-After")
        response.fields.append("Location", url.absolute)
        return response
    }

    /// True if a browser may be redirected to the source itself.
    package var allowsSource: Bool { failure?.reason.row.allowsSource ?? false }
}
