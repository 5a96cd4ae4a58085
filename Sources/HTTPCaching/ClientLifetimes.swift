// SPDX-License-Identifier: Apache-2.0

/// Bounds on clients' caches by the original's host: common bounds, and exceptions for some hosts.
package struct ClientLifetimes: Sendable, Hashable {
    /// The exception for one host, or for the hosts below one: `img.example.org=10m..1d`.
    package struct Rule: Sendable, Hashable {
        /// The hosts of a rule.
        package enum Hosts: Sendable, Hashable {
            case exact(String)
            /// `.example.com`: every name with that ending, but not `example.com` itself.
            case suffix(String)
        }

        /// The hosts to which the rule applies.
        package var hosts: Hosts
        /// Their bounds.
        package var policy: ClientPolicy

        /// Hosts in lower case, as `SourceURL` normalises them.
        package init(_ hosts: Hosts, _ policy: ClientPolicy) {
            self.hosts = hosts
            self.policy = policy
        }
    }

    /// Bounds for hosts without a rule.
    package var usual: ClientPolicy
    private var exact: [String: ClientPolicy] = [:]
    /// Longest suffix first.
    private var suffixes: [(suffix: String, policy: ClientPolicy)] = []

    /// The later of two rules for the same hosts counts.
    package init(usual: ClientPolicy = ClientPolicy(), rules: [Rule] = []) {
        self.usual = usual
        for rule in rules {
            switch rule.hosts {
            case .exact(let host): exact[host] = rule.policy
            case .suffix(let suffix):
                suffixes.removeAll { $0.suffix == suffix }
                suffixes.append((suffix, rule.policy))
            }
        }
        suffixes.sort { $0.suffix.utf8.count > $1.suffix.utf8.count }
    }

    /// The bounds of the exact host, or of the longest suffix, or the usual ones.
    ///
    /// - Parameter host: as `SourceURL` normalises it.
    package func policy(for host: String) -> ClientPolicy {
        exact[host] ?? suffixes.first { host.hasSuffix($0.suffix) }?.policy ?? usual
    }

    package static func == (a: ClientLifetimes, b: ClientLifetimes) -> Bool {
        a.usual == b.usual && a.exact == b.exact && a.suffixes.elementsEqual(b.suffixes, by: ==)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(usual)
        hasher.combine(exact)
    }
}
