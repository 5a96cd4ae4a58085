// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Origin
internal import Pipeline
internal import SourceURLs

/// The rules for origins that are asked when an original is fetched, and never again: nobody knows afterwards which of them it
/// came by. Lists of hosts and URLs are none of these: they are asked at each request, and of redirects by `RedirectRules`.
///
/// Networks and stores are codes: equal texts mean equal ones.
struct OriginRules: Codable, Hashable, Sendable {
    private let allowsPrivate: Bool
    private let allowed: Set<String>
    private let denied: Set<String>
    /// The endpoint of a store that speaks S3; nil without one.
    private let store: String?
    /// The endpoint of Azure Blob Storage; nil without one.
    private let blobs: String?

    init(_ configuration: OriginConfiguration) {
        let addresses = configuration.policy.addresses
        allowsPrivate = addresses.allowsPrivate
        allowed = Set(addresses.allowed.map(\.code))
        denied = Set(addresses.denied.map(\.code))
        store = configuration.store?.endpoint.absolute
        blobs = configuration.blobs?.endpoint.absolute
    }

    /// The originals that may have come from a place that these rules close and the former ones opened. Addresses are judged only
    /// when they are dialled, and which address a name had then is not kept; so a closed network puts all originals in doubt. The
    /// objects of a store have the same names in another store.
    func doubted(since former: OriginRules) -> [PurgeSelection] {
        if narrows(former) { return [.all] }
        var doubted: [PurgeSelection] = []
        if store != former.store { doubted.append(.prefix("s3://")) }
        if blobs != former.blobs { doubted.append(.prefix("azure://")) }
        return doubted
    }

    /// True if an address may be closed that `former` opened. The ports are not looked at: those of a URL are judged without its
    /// address.
    private func narrows(_ former: OriginRules) -> Bool {
        former.allowsPrivate && !allowsPrivate || !former.allowed.isSubset(of: allowed)
            || !denied.isSubset(of: former.denied)
    }
}
