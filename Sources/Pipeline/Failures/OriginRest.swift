// SPDX-License-Identifier: Apache-2.0

/// The pause in which an origin is not asked after repeated failures.
package struct OriginRest: Sendable, Hashable {
    /// Seconds until a request may ask the origin, rounded up; at least 1.
    package var seconds: Int

    /// `seconds` must be at least 1.
    package init(seconds: Int) { self.seconds = seconds }
}
