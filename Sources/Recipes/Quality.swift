// SPDX-License-Identifier: Apache-2.0

package enum Quality: Sendable, Hashable {
    /// The encoder's own scale, 1…100.
    case number(Int)
    /// The smallest file that is as like its pixels as this, 0.5…1; nil = the target of the settings.
    case likeness(Double?)
}
