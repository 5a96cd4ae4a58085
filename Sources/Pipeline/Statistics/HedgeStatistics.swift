// SPDX-License-Identifier: Apache-2.0

/// Requests since the start for which the origin was asked beside a late look into the shared store, by whose answer they
/// got.
package struct HedgeStatistics: Sendable, Hashable {
    package var store = 0
    package var origin = 0
    /// The origin failed, and the store had nothing that would do.
    package var neither = 0
}
