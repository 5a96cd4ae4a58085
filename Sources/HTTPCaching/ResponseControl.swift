// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// The directives of a response for this cache, and its directives for clients.
struct ResponseControl {
    /// `CDN-Cache-Control` if there is a valid one (RFC 9213 §2.2); otherwise equal to `forClients`.
    let forUs: CacheControl
    /// `Cache-Control`; without it, `Pragma: no-cache` counts as `no-cache` (RFC 9111 §5.4).
    let forClients: CacheControl
    let isTargeted: Bool

    init(_ fields: Fields) {
        if let text = fields.combined("Cache-Control") {
            forClients = CacheControl(text)
        } else {
            var control = CacheControl()
            let pragma = fields.combined("Pragma").map(CacheControl.init)
            if pragma?.flags.contains(.noCache) == true { control.flags.insert(.noCache) }
            forClients = control
        }
        let targeted = fields.combined("CDN-Cache-Control").flatMap(CacheControl.init(targeted:))
        isTargeted = targeted != nil
        forUs = targeted ?? forClients
    }

    /// True if a shared cache may reuse the response although its request had `Authorization` (RFC 9111 §3.5).
    var allowsAuthorized: Bool {
        !forUs.flags.isDisjoint(with: [.isPublic, .mustRevalidate]) || forUs.sharedMaxAge != nil
    }

    /// True if the response may be kept without an explicit lifetime (RFC 9111 §3).
    func keeps(_ status: OriginStatus) -> Bool {
        status.isHeuristicallyCacheable || forUs.flags.contains(.isPublic)
    }

    /// Seconds by `s-maxage`, `max-age` or `Expires` − `Date`, the first that is present; `CDN-Cache-Control` excludes `Expires`. Nil
    /// without any.
    func explicitLifetime(_ fields: Fields, _ age: ResponseAge) -> Int32? {
        if let seconds = forUs.sharedMaxAge ?? forUs.maxAge { return seconds }
        return isTargeted ? nil : Self.expires(fields, age)
    }

    /// Seconds by the rules of a private cache; nil without explicit fields.
    func clientLifetime(_ fields: Fields, _ age: ResponseAge) -> Int32? {
        if isTargeted, forClients.flags.contains(.noCache) { return 0 }
        return forClients.maxAge ?? Self.expires(fields, age)
    }

    func freshnessFlags(_ fields: Fields) -> Freshness.Flags {
        var flags: Freshness.Flags = []
        let selecting = SelectingFields(fields.combined("Vary"))
        if forUs.flags.contains(.noCache) || selecting == .everything { flags.insert(.alwaysValidate) }
        if selecting != nil { flags.insert(.varies) }
        if forUs.forbidsStale { flags.insert(.mustRevalidate) }
        if forClients.flags.contains(.immutable) { flags.insert(.immutable) }
        return isTargeted ? flags.union(restrictionsOfClients) : flags
    }

    /// What `Cache-Control` forbids to all other caches, if `CDN-Cache-Control` applies to us (RFC 9213 §2.2).
    private var restrictionsOfClients: Freshness.Flags {
        var flags: Freshness.Flags = []
        if forClients.flags.contains(.noStore) { flags.insert(.clientsMayNotStore) }
        if forClients.flags.contains(.isPrivate) { flags.insert(.privateToClients) }
        if forClients.flags.contains(.noCache) { flags.insert(.clientsMustValidate) }
        if forClients.forbidsStale { flags.insert(.clientsMustRevalidate) }
        return flags
    }

    /// Seconds by `Expires`; 0 if it is invalid or past (RFC 9111 §5.3), nil without it. Of two lines the first counts.
    private static func expires(_ fields: Fields, _ age: ResponseAge) -> Int32? {
        guard let text = fields["Expires"] else { return nil }
        guard let expires = HTTPDate.parse(text, now: age.responseTime) else { return 0 }
        // A plausible `Expires` beside a `Date` from a clock that has not been set was not computed with that clock.
        let start = expires.isOfSetClock && !age.date.isOfSetClock ? age.responseTime : age.date
        return Int32(clamping: max(expires.seconds - start.seconds, 0))
    }
}

extension CacheControl {
    /// True if no cache that understands the status may keep the response: `must-understand` revokes `no-store` (RFC 9111 §5.2.2.3).
    var forbidsStoring: Bool { flags.contains(.noStore) && !flags.contains(.mustUnderstand) }

    /// True if a shared cache must not serve the response stale (RFC 9111 §5.2.2.2, §5.2.2.8, §5.2.2.10).
    fileprivate var forbidsStale: Bool {
        !flags.isDisjoint(with: [.mustRevalidate, .proxyRevalidate]) || sharedMaxAge != nil
    }
}
