// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Pipeline

/// Refusals as weserv/images tells them: what a failure is told as is in its row.
enum WeservWords {
    static func of(_ refusal: Refusal) -> ErrorResponse {
        var words = refusal.words
        guard case .told(let status, let message) = told(refusal) else { return words }
        (words.status, words.message, words.retryAfter) = (status, message, nil)
        return words
    }

    private static func told(_ refusal: Refusal) -> FailureRow.Weserv {
        if let failure = refusal.failure { return failure.reason.row.weserv }
        return refusal.words.status == 400 ? .told(400, "Unable to parse URI") : .unchanged
    }
}
