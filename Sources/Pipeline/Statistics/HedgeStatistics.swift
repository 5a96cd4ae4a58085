// SPDX-License-Identifier: Apache-2.0

/// Hedged requests since the start, by whose answer was used. A hedged request asks the origin because a look into the shared store
/// is late.
package struct HedgeStatistics: Sendable, Hashable {
    package var store = 0
    package var origin = 0
    /// The origin failed, and the store had nothing of use.
    package var neither = 0
}
