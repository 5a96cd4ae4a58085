// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

extension OriginConfiguration {
    /// How an origin is reached. Profiles may have ways of their own to parts of an origin.
    private struct Way: Hashable {
        var proxy: OutboundProxy?
        var authorities: AuthorityBundle?
        var certificate: String?
        var key: String?
    }

    /// True if no connection to this origin was made for this reason, but other URLs of it may well be reached: a profile has
    /// another proxy for some of them or, after a failure of TLS, other certificates.
    func hasOtherWays(to origin: SourceOrigin, after failure: DownloadFailure) -> Bool {
        let ways = ways(to: origin)
        return switch failure {
        case .tls: Set(ways).count > 1
        case .nameNotResolved, .cannotConnect, .timedOut(.connect): Set(ways.map(\.proxy)).count > 1
        default: false
        }
    }

    /// The way of each profile for URLs of the origin, and of the URLs that have no profile.
    private func ways(to origin: SourceOrigin) -> [Way] {
        var ways: [Way] = []
        for profile in profiles {
            let places = profile.places.filter { $0.isAt(origin) }
            if !places.isEmpty { ways.append(way(to: origin, profile)) }
            // Later profiles get none of its URLs.
            if places.contains(where: \.isWhole) { return ways }
        }
        return ways + [way(to: origin, nil)]
    }

    private func way(to origin: SourceOrigin, _ profile: OriginProfile?) -> Way {
        Way(
            proxy: proxy(for: origin.host, profile), authorities: profile?.authorities ?? authorities,
            certificate: profile?.certificate, key: profile?.key)
    }
}
