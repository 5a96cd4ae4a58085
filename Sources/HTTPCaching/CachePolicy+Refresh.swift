// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

extension CachePolicy {
    /// The result of a revalidation.
    package enum Refresh: Sendable, Hashable {
        /// The stored original is fresh again.
        case refreshed(StoredFields, Freshness)
        /// Usable for the waiting requests, but not to be stored any more.
        case forget(StorageDecision.Reason)
        /// The 304 does not name the stored representation.
        case mismatch
    }

    /// Decides about a 304 to the conditional request for `stored`. The origin's own fields are stored, so that `rule` applies only
    /// as long as the operator sets it.
    package func refresh(
        _ stored: StoredFields, with notModified: Fields, rule: CacheControlRule? = nil, by transit: Transit
    ) -> Refresh {
        guard let updated = stored.updated(by: notModified, at: transit.responseTime) else {
            return .mismatch
        }
        let fields = updated.fields(datedBy: notModified)
        switch assess(status: 200, fields: fields, rule: rule, by: transit) {
        case .store(let freshness): return .refreshed(updated, freshness)
        case .doNotStore(let reason): return .forget(reason)
        }
    }
}
