// SPDX-License-Identifier: Apache-2.0

/// A request by `BlockingTransfer` that got no answer.
package struct TransferFailure: Error, Sendable, Hashable {
    /// The words of libcurl or the server, for operators.
    package let words: String
    /// True if there was no answer in time.
    package let isTimeout: Bool

    init(_ words: String, isTimeout: Bool = false) {
        self.words = words
        self.isTimeout = isTimeout
    }
}
