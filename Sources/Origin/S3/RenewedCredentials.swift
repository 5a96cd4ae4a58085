// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Holds the present temporary credentials from the platform.
///
/// **Isolation:** a `Mutex` guards the state.
package final class RenewedCredentials: Sendable, Hashable {
    private struct State: Sendable {
        var credentials: StoreCredentials?
        var areRefused = false
    }

    private let state = Mutex(State())

    /// Begins without credentials.
    package init() {}

    /// Nil until the first credentials have come.
    package var current: StoreCredentials? { state.withLock { $0.credentials } }

    /// Replaces the credentials; each request from now on is signed with the new ones.
    package func replace(with credentials: StoreCredentials) {
        state.withLock { $0 = State(credentials: credentials) }
    }

    /// True if a store has refused the present credentials as ended or unknown, so that the platform should be asked for others.
    package var areRefused: Bool { state.withLock { $0.areRefused } }

    /// Notes that a store has refused credentials as ended or unknown. They may be former ones, which cost one request too many.
    func noteRefusal() { state.withLock { $0.areRefused = $0.credentials != nil } }

    package static func == (one: RenewedCredentials, other: RenewedCredentials) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
