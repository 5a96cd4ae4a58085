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
        self.init(failure: PipelineFailure(origin: failure), verdict: policy.verdict(on: failure))
    }
}

extension NegativePolicy {
    fileprivate func verdict(on failure: OriginFailure) -> Verdict {
        switch failure {
        case .nameNotResolved: verdict(on: Failure.nameNotResolved)
        case .cannotConnect, .tls, .timedOut, .brokenReply, .unusableReply, .undecodableContent,
            .tooManyRedirects:
            verdict(on: Failure.unreachable)
        case .tooLarge: verdict(on: Failure.notAnImage)
        // Our own policy, which costs nothing to ask, and our own troubles, which may be over.
        case .sourceRefused, .overloaded, .unavailable, .cancelled: .nothing
        }
    }
}
