// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching

/// A fetch that brought no picture, and how that is remembered.
struct FailedFetch: Error {
    var failure: PipelineFailure
    var verdict = NegativePolicy.Verdict.nothing
    /// Of content that is no picture, with the validators for the next request.
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
