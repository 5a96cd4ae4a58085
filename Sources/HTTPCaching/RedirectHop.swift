// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// A redirect on the way to an original. What is kept under the first URL is good for as long as each of them is,
/// for each may lead elsewhere once it has expired.
package struct RedirectHop: Sendable, Equatable {
    package var status: Int
    package var fields: Fields

    package init(status: Int, fields: Fields) {
        self.status = status
        self.fields = fields
    }
}

extension RedirectHop {
    /// What a redirect leaves of an original's freshness.
    struct Limit {
        /// Seconds from its arrival; nil: says nothing, and means forever.
        var secondsLeft: Int?
        var flags: Freshness.Flags
    }

    /// A permanent redirect that says nothing sets no limit; a temporary one is for as long as what is said by
    /// nobody, since RFC 9111 §3 keeps no 302, 303 or 307 that does not say for how long.
    func limit(_ policy: CachePolicy, requestTime: Timestamp, responseTime: Timestamp) -> Limit {
        let control = ResponseControl(fields)
        let age = ResponseAge(fields, requestTime: requestTime, responseTime: responseTime)
        var left = OriginStatus(status).isHeuristicallyCacheable ? nil : Int(policy.defaultLifetime)
        if let explicit = control.explicitLifetime(fields, age) {
            left = max(Int(explicit) - Int(age.initialAge), 0)
        }
        let inherited: Freshness.Flags = [
            .alwaysValidate, .mustRevalidate, .clientsMayNotStore, .privateToClients,
        ]
        left = left.map { max($0, Int(policy.minimumLifetime)) }
        return Limit(secondsLeft: left, flags: control.freshnessFlags(fields).intersection(inherited))
    }
}
