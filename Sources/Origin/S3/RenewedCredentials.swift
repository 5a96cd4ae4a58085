// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Holds the present temporary credentials from the platform.
///
/// **Isolation:** a `Mutex` guards the state.
package final class RenewedCredentials: Sendable, Hashable {
    private struct State: Sendable {
        var credentials: StoreCredentials?
        /// What a store said when it refused the credentials; nil if none has.
        var refusal: String?
    }

    private let state = Mutex(State())

    /// Begins without credentials.
    package init() {}

    /// Nil until the first credentials have come.
    package var current: StoreCredentials? { state.withLock { $0.credentials } }

    /// Replaces the credentials; each request from now on is signed with the new ones.
    /// - Returns: true if they differ from those before.
    @discardableResult
    package func replace(with credentials: StoreCredentials) -> Bool {
        state.withLock { state in
            let areOther = state.credentials != credentials
            state = State(credentials: credentials)
            return areOther
        }
    }

    /// What a store said when it refused the present credentials as ended or unknown, so that the platform should be asked for
    /// others; nil if none has.
    package var refusal: String? { state.withLock { $0.refusal } }

    /// Notes that a store has refused credentials as ended or unknown. They may be former ones, which cost one request too many.
    package func noteRefusal(_ words: String) {
        state.withLock { if $0.credentials != nil { $0.refusal = words } }
    }

    package static func == (one: RenewedCredentials, other: RenewedCredentials) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
