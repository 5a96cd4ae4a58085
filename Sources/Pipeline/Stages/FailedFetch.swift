// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching

/// A fetch that brought no picture, with what is to be remembered of that.
struct FailedFetch: Error {
    var failure: PipelineFailure
    var verdict = NegativePolicy.Verdict.nothing
    /// Of content that is no picture: what makes the next request for it conditional.
    var fields: StoredFields?
}

extension FailedFetch {
    /// Nothing came back.
    init(_ failure: OriginFailure, _ policy: NegativePolicy) {
        self.init(
            failure: PipelineFailure(origin: failure), verdict: policy.verdict(on: failure.row.memory))
    }
}

extension NegativePolicy {
    func verdict(on memory: FailureRow.Memory) -> Verdict {
        switch memory {
        case .known(let failure, _): verdict(on: failure)
        // Answers are judged where their fields are at hand.
        case .never, .byAnswer: .nothing
        }
    }
}
