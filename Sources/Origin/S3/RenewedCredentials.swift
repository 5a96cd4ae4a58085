// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Holds the present temporary credentials from the platform.
///
/// **Isolation:** a `Mutex` guards the credentials.
package final class RenewedCredentials: Sendable, Hashable {
    private let state = Mutex<StoreCredentials?>(nil)

    /// Begins without credentials.
    package init() {}

    /// Nil until the first credentials have come.
    package var current: StoreCredentials? { state.withLock { $0 } }

    /// Replaces the credentials; each request from now on is signed with the new ones.
    package func replace(with credentials: StoreCredentials) { state.withLock { $0 = credentials } }

    package static func == (one: RenewedCredentials, other: RenewedCredentials) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
