// SPDX-License-Identifier: Apache-2.0

/// Reasons why a file has no usable header.
package enum ImageHeaderError: Error, Sendable, Hashable {
    /// The first bytes fit no known format.
    case notAnImage
    /// The format is known, but the header is truncated or contradictory, has a side of zero pixels, or takes
    /// more reading than any honest header.
    case damaged
}
