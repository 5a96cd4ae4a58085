// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
internal import Pipeline
internal import RequestGrammar
internal import Synchronization

/// Refusals for overload, made once for each endpoint and wait. They serve every request that has no fallback.
///
/// **Isolation:** a `Mutex`.
final class ReadyRefusals: Sendable {
    private struct Key: Hashable {
        let dialect: DialectName
        /// Seconds; few distinct values occur.
        let retryAfter: Int
    }

    private let answers = Mutex<[Key: ReadyAnswer]>([:])

    func answer(
        to failure: PipelineFailure, at dialect: DialectName, _ make: () -> ReadyAnswer
    ) -> ReadyAnswer {
        guard case .overloaded(let retryAfter) = failure.reason else { return make() }
        let key = Key(dialect: dialect, retryAfter: retryAfter)
        return answers.withLock { answers in
            if let answer = answers[key] { return answer }
            let answer = make()
            answers[key] = answer
            return answer
        }
    }
}
