// SPDX-License-Identifier: Apache-2.0

/// The bytes of an original or a rendition, in memory or in a file.
package enum Body: Sendable {
    case bytes(ImmutableBytes)
    /// The first `length` bytes of an open file; the store's footer behind them is no part of the body.
    case file(OwnedDescriptor, length: Int)

    /// The body's length in bytes.
    package var length: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(_, let length): length
        }
    }
}
