// SPDX-License-Identifier: Apache-2.0

package import Kernel

/// Why a server did not start.
package enum ServerError: Error, Sendable, Hashable, CustomStringConvertible {
    case noListeners
    /// The resolver does not know the name or address; `reason` is its message.
    case badAddress(String, reason: String)
    case cannotListen(String, SystemError)
    /// What the service manager has given is no stream socket that listens.
    case uselessSocket(String)
    case cannotStart(SystemError)

    /// A sentence for the operator.
    package var description: String {
        switch self {
        case .noListeners: "There is no address to listen on."
        case .badAddress(let address, let reason): "Cannot listen on \(address): \(reason)."
        case .cannotListen(let address, let error): "Cannot listen on \(address): \(error)."
        case .uselessSocket(let address):
            "Cannot listen on \(address), which the service manager gave: a stream socket that listens is wanted, "
                + "in a socket unit of systemd ListenStream= without Accept=yes."
        case .cannotStart(let error): "The server's threads cannot be started: \(error)."
        }
    }
}
