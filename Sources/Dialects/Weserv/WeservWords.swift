// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Pipeline

/// Refusals in the words of weserv/images; a failure's row has its words.
enum WeservWords {
    static func of(_ refusal: Refusal) -> ErrorResponse {
        var words = refusal.words
        guard case .replaced(let status, let message) = answer(to: refusal) else { return words }
        (words.status, words.message, words.retryAfter) = (status, message, nil)
        return words
    }

    private static func answer(to refusal: Refusal) -> FailureRow.Weserv {
        if let failure = refusal.failure { return failure.reason.row.weserv }
        return refusal.words.status == 400 ? .replaced(400, "Unable to parse URI") : .unchanged
    }
}
