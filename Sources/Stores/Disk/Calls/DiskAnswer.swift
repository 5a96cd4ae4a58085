// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A caller that waits for a call to the disk and gets exactly one answer.
protocol DiskWaiter: Sendable {
    /// Answers that the disk is away, unless the caller has its answer already.
    func giveUp()
}

/// Takes the first of two answers: the call's result, or that the disk is away.
///
/// **Isolation:** an atomic decides which answer is first.
final class DiskAnswer<Result: Sendable>: DiskWaiter {
    private let continuation: CheckedContinuation<Result?, Never>
    private let isGiven = Atomic<Bool>(false)

    init(_ continuation: CheckedContinuation<Result?, Never>) { self.continuation = continuation }

    /// Gives an answer. False if the caller has one already; then nobody gets this one.
    func give(_ result: Result?) -> Bool {
        guard !isGiven.exchange(true, ordering: .relaxed) else { return false }
        continuation.resume(returning: result)
        return true
    }

    func giveUp() { _ = give(nil) }
}
