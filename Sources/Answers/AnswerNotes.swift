// SPDX-License-Identifier: Apache-2.0

package import Pipeline
package import Recipes
package import Traces

/// The part of an answer for the access log and the traces, beside its tag.
package final class AnswerNotes: Sendable {
    /// The rendition in the answer; nil if there is none.
    package let key: RenditionKey?
    /// Where the time went; none of an answer that was made before.
    package let times: StageTimes
    /// The request's span, which ends with the answer's last byte; nil where nothing is traced.
    package let span: RequestSpan?

    /// Notes of an answer; without times for one that was made before.
    package init(key: RenditionKey?, times: StageTimes = StageTimes(), span: RequestSpan? = nil) {
        (self.key, self.times, self.span) = (key, times, span)
    }
}
