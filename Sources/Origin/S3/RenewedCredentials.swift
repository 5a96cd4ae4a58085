// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Credentials that the platform gives for a while, as they are now.
///
/// **Isolation:** a `Mutex`.
package final class RenewedCredentials: Sendable, Hashable {
    private let state = Mutex<StoreCredentials?>(nil)

    /// Without any, until the first are there.
    package init() {}

    /// Nil as long as there have been none.
    package var current: StoreCredentials? { state.withLock { $0 } }

    /// Each request from now on is signed with these.
    package func replace(with credentials: StoreCredentials) { state.withLock { $0 = credentials } }

    package static func == (one: RenewedCredentials, other: RenewedCredentials) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
