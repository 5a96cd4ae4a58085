// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A flag that is set once.
package final class CloseFlag: Sendable {
    private let value = Atomic(false)

    /// True once the flag is set.
    package var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}
