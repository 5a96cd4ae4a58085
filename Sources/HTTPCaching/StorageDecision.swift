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
        let (whileRevalidate, ifError, isOursAlone) = staleTimes(control)
        if isOursAlone { flags.insert(.staleHereOnly) }
        return Freshness(
            responseTime: age.responseTime, initialAge: age.initialAge, lifetime: bounded,
            clientLifetime: clientLifetime,
            staleWhileRevalidate: whileRevalidate, staleIfError: ifError, flags: flags)
    }

    /// Seconds past the lifetime (RFC 5861), by the response's directives or the operator's defaults; `isOursAlone` is true if clients
    /// are granted fewer of `whileRevalidate`.
    func staleTimes(
        _ control: ResponseControl
    ) -> (whileRevalidate: Int32, ifError: Int32, isOursAlone: Bool) {
        let ours = control.forUs.staleWhileRevalidate ?? defaultStaleWhileRevalidate
        let clients = control.forClients.staleWhileRevalidate ?? defaultStaleWhileRevalidate
        return (ours, control.forUs.staleIfError ?? defaultStaleIfError, clients < ours)
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
        let own = self
        flags.formUnion(limit.flags)
        if let seconds = limit.clientSeconds, seconds < clientLifetime {
            flags.remove(.immutable)
            clientLifetime = seconds
        }
        guard let secondsLeft = limit.secondsLeft else { return }
        let hopEnd = Int(initialAge) + secondsLeft
        // `immutable` applied to the lifetime that the redirect shortens.
        if hopEnd < Int(lifetime) { flags.remove(.immutable) }
        let shortest = min(lifetime, Int32(clamping: hopEnd))
        // To serve the original past the redirect's lifetime is to reuse a stale redirect, which only the redirect's own directives
        // allow (RFC 9111 §4.2.4).
        func window(_ seconds: Int32, _ hops: Int32) -> Int32 {
            let end = min(Int(own.lifetime) + Int(seconds), hopEnd + Int(hops))
            return Int32(clamping: max(end - Int(shortest), 0))
        }
        staleWhileRevalidate = window(own.staleWhileRevalidate, limit.staleWhileRevalidate)
        if own.withholdsFromClients(staleWhileRevalidate) { flags.insert(.staleHereOnly) }
        staleIfError = window(own.staleIfError, limit.staleIfError)
        lifetime = shortest
        clientLifetime = min(clientLifetime, lifetime)
    }
}
