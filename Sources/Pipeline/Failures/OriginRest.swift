// SPDX-License-Identifier: Apache-2.0

/// The rest of an origin after repeated failures.
package struct OriginRest: Sendable, Hashable {
    /// Seconds until a request may ask it, rounded up; at least 1.
    package var seconds: Int

    /// `seconds` must be at least 1.
    package init(seconds: Int) { self.seconds = seconds }
}
