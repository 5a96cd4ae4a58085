// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// Whether a response may be stored, and its freshness if so (RFC 9111 §3).
package enum StorageDecision: Sendable, Hashable {
    /// Reasons not to store.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The status is neither 200 nor 203, so the response is no original.
        case status
        case noStore
        case isPrivate
    }

    case store(Freshness)
    case doNotStore(Reason)
}

extension CachePolicy {
    /// Decides about an origin's response. A response to a request with `Authorization` must be confirmed for each request, unless
    /// the origin allows otherwise (RFC 9111 §3.5).
    /// - Parameter rule: the operator's `Cache-Control` for the origin that answered; nil if the origin's own applies.
    package func assess(
        status: Int, fields: Fields, rule: CacheControlRule? = nil, by transit: Transit
    ) -> StorageDecision {
        guard OriginStatus(status).isOriginal else { return .doNotStore(.status) }
        let fields = fields.ruled(by: rule)
        let control = ResponseControl(fields)
        let controls = [control] + transit.redirects.map { ResponseControl($0.fields.ruled(by: $0.rule)) }
        // This cache understands 200 and redirects.
        if honoursNoStore, controls.contains(where: \.forUs.forbidsStoring) { return .doNotStore(.noStore) }
        if honoursPrivate, controls.contains(where: { $0.forUs.flags.contains(.isPrivate) }) {
            return .doNotStore(.isPrivate)
        }
        let age = ResponseAge(fields, by: transit)
        var freshness = freshness(control, fields, age)
        for hop in transit.redirects { freshness.limit(by: hop.limit(self, by: transit)) }
        if transit.isAuthorized, !controls.allSatisfy(\.allowsAuthorized) {
            freshness.flags.insert(.alwaysValidate)
        }
        return .store(freshness)
    }

    private func freshness(_ control: ResponseControl, _ fields: Fields, _ age: ResponseAge) -> Freshness {
        let (lifetime, isGuess) = lifetime(control, fields, age)
        let bounded = bounded(lifetime, age)
        var clientLifetime = bounded
        if let granted = control.clientLifetime(fields, age) { clientLifetime = min(granted, bounded) }
        var flags = control.freshnessFlags(fields)
        if isGuess { flags.insert(.heuristic) }
        // `immutable` applies to the origin's own lifetime only.
        if bounded != lifetime || isGuess || control.explicitLifetime(fields, age) == nil {
            flags.remove(.immutable)
        }
        let whileRevalidate = control.forUs.staleWhileRevalidate ?? defaultStaleWhileRevalidate
        if control.forClients.staleWhileRevalidate ?? defaultStaleWhileRevalidate < whileRevalidate {
            flags.insert(.staleHereOnly)
        }
        return Freshness(
            responseTime: age.responseTime, initialAge: age.initialAge, lifetime: bounded,
            clientLifetime: clientLifetime,
            staleWhileRevalidate: whileRevalidate,
            staleIfError: control.forUs.staleIfError ?? defaultStaleIfError, flags: flags)
    }

    /// The lifetime in seconds by RFC 9111 §4.2.1, or by the heuristic of §4.2.2 without explicit fields.
    private func lifetime(
        _ control: ResponseControl, _ fields: Fields, _ age: ResponseAge
    ) -> (seconds: Int32, isGuess: Bool) {
        if let explicit = control.explicitLifetime(fields, age) { return (explicit, false) }
        guard heuristicParts > 0, let text = fields["Last-Modified"],
            let modified = HTTPDate.parse(text, now: age.responseTime), modified < age.date
        else { return (defaultLifetime, false) }
        let guess = (age.date.seconds - modified.seconds) * Int64(heuristicParts) / 10_000
        return (min(Int32(clamping: guess), maximumHeuristicLifetime), true)
    }

    private func bounded(_ lifetime: Int32, _ age: ResponseAge) -> Int32 {
        let capped = min(lifetime, maximumLifetime)
        guard minimumLifetime > 0 else { return capped }
        // Counts from the arrival, because an old response would otherwise expire at once.
        return max(capped, Int32(clamping: Int(age.initialAge) + Int(minimumLifetime)))
    }
}

extension Freshness {
    fileprivate mutating func limit(by limit: RedirectHop.Limit) {
        flags.formUnion(limit.flags)
        if let seconds = limit.clientSeconds, seconds < clientLifetime {
            flags.remove(.immutable)
            clientLifetime = seconds
        }
        guard let secondsLeft = limit.secondsLeft else { return }
        // `immutable` applied to the lifetime that the redirect shortens.
        if Int(initialAge) + secondsLeft < Int(lifetime) { flags.remove(.immutable) }
        lifetime = min(lifetime, Int32(clamping: Int(initialAge) + secondsLeft))
        clientLifetime = min(clientLifetime, lifetime)
    }
}
