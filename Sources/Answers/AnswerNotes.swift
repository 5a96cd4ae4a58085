// SPDX-License-Identifier: Apache-2.0

package import Pipeline
package import Recipes

/// What an answer from the pipeline tells the access log beside its tag.
package final class AnswerNotes: Sendable {
    /// The rendition in the answer.
    package let key: RenditionKey
    /// Where the time went; none of an answer that was made before.
    package let times: StageTimes

    /// Of an answer that was made before, without times.
    package init(key: RenditionKey, times: StageTimes = StageTimes()) {
        self.key = key
        self.times = times
    }
}
