// SPDX-License-Identifier: Apache-2.0

package import Kernel

/// Why a server did not start.
package enum ServerError: Error, Sendable, Hashable {
    case noListeners
    /// The name or address means nothing to the resolver; its words.
    case badAddress(String, reason: String)
    case cannotListen(String, SystemError)
    case cannotStart(SystemError)
}
