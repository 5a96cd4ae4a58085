// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// A redirect on the way to an original. The original is fresh under its first URL only while every redirect
/// is, because an expired redirect may lead elsewhere.
package struct RedirectHop: Sendable, Hashable {
    /// The status of the redirect's response.
    package var status: Int
    /// The fields of the redirect's response.
    package var fields: Fields
    /// The operator's `Cache-Control` for the origin that redirected; nil if the origin's own applies. Failures always use the
    /// origin's own.
    package var rule: CacheControlRule?

    /// Takes a redirect that was followed.
    package init(status: Int, fields: Fields, rule: CacheControlRule? = nil) {
        self.status = status
        self.fields = fields
        self.rule = rule
    }
}

extension RedirectHop {
    /// The limits that a redirect sets on the freshness of the original behind it.
    struct Limit {
        /// Seconds from the redirect's arrival; nil sets no bound.
        var secondsLeft: Int?
        /// The same for browsers, if they may keep the redirect for a shorter time than we; counts as `Freshness.clientLifetime`.
        var clientSeconds: Int32?
        /// Seconds past `secondsLeft` in which the redirect may be followed from memory (RFC 5861 §3, §4).
        var staleWhileRevalidate: Int32
        var staleIfError: Int32
        var flags: Freshness.Flags
    }

    /// The limits of this redirect. A permanent redirect without explicit fields sets none. A temporary one without them lasts
    /// `defaultLifetime`, because RFC 9111 §3 does not allow keeping a 302, 303 or 307 without an explicit lifetime.
    func limit(_ policy: CachePolicy, by transit: Transit) -> Limit {
        let fields = fields.ruled(by: rule)
        let control = ResponseControl(fields)
        let age = ResponseAge(fields, by: transit)
        var left = OriginStatus(status).isHeuristicallyCacheable ? nil : Int(policy.defaultLifetime)
        if let explicit = control.explicitLifetime(fields, age) {
            left = max(Int(explicit) - Int(age.initialAge), 0)
        }
        let inherited: Freshness.Flags = [
            .alwaysValidate, .mustRevalidate, .clientsMayNotStore, .privateToClients, .clientsMustValidate,
            .clientsMustRevalidate,
        ]
        left = left.map { max($0, Int(policy.minimumLifetime)) }
        let told = control.clientLifetime(fields, age)
        let isTighter = told.map { Int($0) < left ?? .max } ?? false
        // Always varies, because it was followed by rules that may change (`RedirectRules`).
        var flags = control.freshnessFlags(fields).intersection(inherited).union(.varies)
        let (whileRevalidate, ifError, isOursAlone) = policy.staleTimes(control)
        if left != nil, isOursAlone { flags.insert(.staleHereOnly) }
        return Limit(
            secondsLeft: left, clientSeconds: isTighter ? told : nil, staleWhileRevalidate: whileRevalidate,
            staleIfError: ifError, flags: flags)
    }
}
