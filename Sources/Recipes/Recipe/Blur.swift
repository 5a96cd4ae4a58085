// SPDX-License-Identifier: Apache-2.0

/// A blur of the resized picture.
package enum Blur: Sendable, Hashable {
    /// The mean of 3 × 3 pixels.
    case mild
    /// Gaussian; the sigma is 0.3…1,000 pixels.
    case gaussian(Double)
}
