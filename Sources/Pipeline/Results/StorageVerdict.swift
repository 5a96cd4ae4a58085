// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics

/// The verdict of HTTP caching on a reply (RFC 9111 §3).
struct StorageVerdict {
    let isKept: Bool
    let freshness: Freshness
    let fields: StoredFields

    init(_ fields: StoredFields, _ freshness: Freshness) {
        (isKept, self.fields, self.freshness) = (true, fields, freshness)
    }

    /// The origin's demand for clients: to store nothing, or to store it privately.
    init(notKept reason: StorageDecision.Reason, since time: Timestamp) {
        isKept = false
        fields = StoredFields(Fields())
        freshness = Freshness(
            responseTime: time, initialAge: 0, lifetime: 0, staleWhileRevalidate: 0, staleIfError: 0,
            flags: [.alwaysValidate, reason == .isPrivate ? .privateToClients : .clientsMayNotStore])
    }
}
