// SPDX-License-Identifier: Apache-2.0

/// For how long clients may keep answers, by the host of the original: bounds for all, and for some their own.
package struct ClientLifetimes: Sendable, Hashable {
    /// One host's own: `img.example.org=10m..1d`.
    package struct Rule: Sendable, Hashable {
        package enum Hosts: Sendable, Hashable {
            case exact(String)
            /// `.example.com`: every name that ends so, but not `example.com` itself.
            case suffix(String)
        }

        package var hosts: Hosts
        package var policy: ClientPolicy

        package init(_ hosts: Hosts, _ policy: ClientPolicy) {
            self.hosts = hosts
            self.policy = policy
        }
    }

    package var usual: ClientPolicy
    private var exact: [String: ClientPolicy] = [:]
    /// The longest first.
    private var suffixes: [(suffix: String, policy: ClientPolicy)] = []

    /// Of two rules for the same hosts the later counts.
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

    /// The exact host's bounds, or those of the longest suffix, or the usual ones.
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
