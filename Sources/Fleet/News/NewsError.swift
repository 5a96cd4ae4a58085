// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// A file of the news cannot be read.
package struct NewsError: Error, Sendable, Hashable, CustomStringConvertible {
    let path: String
    let error: SystemError

    package var description: String {
        "The file of this node's state in the fleet, \(path), cannot be read: \(error)."
    }
}
