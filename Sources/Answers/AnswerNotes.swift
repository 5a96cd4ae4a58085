// SPDX-License-Identifier: Apache-2.0

package import Pipeline
package import Recipes
package import Traces

/// What the access log and the traces report about an answer, beside its tag.
package final class AnswerNotes: Sendable {
    /// The rendition in the answer; nil if there is none.
    package let key: RenditionKey?
    /// How long each stage took; empty for an answer that was ready before.
    package let times: StageTimes
    /// The request's span, which ends with the answer's last byte; nil without tracing.
    package let span: RequestSpan?

    /// Notes of an answer, by default without times, as for one that was ready before.
    package init(key: RenditionKey?, times: StageTimes = StageTimes(), span: RequestSpan? = nil) {
        (self.key, self.times, self.span) = (key, times, span)
    }
}
