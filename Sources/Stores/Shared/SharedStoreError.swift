// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The shared store cannot be opened.
package struct SharedStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    let path: String
    let error: SystemError

    package var description: String {
        path.isEmpty
            ? "The shared store's threads cannot be started: \(error)."
            : "The shared store's record of purges, \(path), cannot be read: \(error)."
    }
}
