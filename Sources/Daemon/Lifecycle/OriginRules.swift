// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Origin
internal import Pipeline
internal import SourceURLs

/// The rules for origins that are applied only when an original is fetched; afterwards nobody knows under which of them it came.
/// Lists of hosts and URLs are not among them, because they are applied at each request, and to redirects by `RedirectRules`.
///
/// Networks and stores are kept as texts, of which only equality matters.
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

    /// The originals that may have come from a place that these rules close and the former rules allowed. Addresses are judged
    /// only when they are dialled, and the address of a fetch is not recorded, so a newly closed network puts all originals in
    /// doubt. If a store is replaced, its originals are in doubt, because objects of another store can have the same names.
    func doubted(since former: OriginRules) -> [PurgeSelection] {
        if narrows(former) { return [.all] }
        var doubted: [PurgeSelection] = []
        if store != former.store { doubted.append(.prefix("s3://")) }
        if blobs != former.blobs { doubted.append(.prefix("azure://")) }
        return doubted
    }

    /// True if these rules may close an address that `former` allowed. Ports do not matter here, because a URL's port is checked
    /// at each request.
    private func narrows(_ former: OriginRules) -> Bool {
        former.allowsPrivate && !allowsPrivate || !former.allowed.isSubset(of: allowed)
            || !denied.isSubset(of: former.denied)
    }
}
