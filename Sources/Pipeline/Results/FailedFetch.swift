// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import Traces

/// A fetch without a picture, and how it is remembered.
struct FailedFetch: Error {
    var failure: PipelineFailure
    var verdict = NegativePolicy.Verdict.nothing
    /// The fields of content without a picture, with the validators for the next request.
    var fields: StoredFields?
    /// The purge tags of the origin's answer.
    var tags: [String] = []

    /// The same failure, with the stage times of earlier work added.
    /// - Parameter hasAsked: true if an origin was asked during that work.
    func after(_ times: StageTimes, hasAsked: Bool = false) -> FailedFetch {
        var fetch = self
        fetch.failure = failure.after(times)
        fetch.failure.hasHadWork = failure.hasHadWork || hasAsked
        return fetch
    }
}

extension FailedFetch {
    /// A fetch without an answer of use.
    init(_ failure: OriginFailure, _ policy: NegativePolicy) {
        self.init(
            failure: PipelineFailure(origin: failure), verdict: policy.verdict(on: failure.row.memory))
    }

    /// An exchange without an answer, which ended at `now`.
    init(_ exchange: FailedExchange, _ policy: NegativePolicy, now: Timestamp) {
        self.init(exchange.failure, policy)
        guard case .known(let seconds) = verdict else { return }
        verdict = policy.verdict(known: seconds, behind: Transit(at: now, redirects: exchange.redirects))
    }
}

extension NegativePolicy {
    func verdict(on memory: FailureRow.Memory) -> Verdict {
        switch memory {
        case .known(let failure, _): verdict(on: failure)
        // Failures by an answer's fields get their verdict where the fields are known.
        case .never, .byAnswer: .nothing
        }
    }
}

extension FailedFetch: CodedError {
    var code: String { failure.code }
}
