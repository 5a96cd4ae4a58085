// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Origin
internal import Pipeline
internal import Settings
internal import SourceURLs

/// The rules for origins that are applied only when an original is fetched; afterwards nobody knows under which of them it came.
/// Lists of hosts and URLs are not among them, because they are applied at each request, and to redirects by `RedirectRules`.
///
/// Networks, stores and folders are kept as texts, of which only equality matters.
struct OriginRules: Codable, Hashable, Sendable {
    private let allowsPrivate: Bool
    private let allowed: Set<String>
    private let denied: Set<String>
    /// The endpoint of a store that speaks S3; nil without one.
    private let store: String?
    /// The endpoint of Azure Blob Storage; nil without one.
    private let blobs: String?
    /// The paths of the folders that files come from, by the names in URLs; nil in a record of a version that kept none.
    private let folders: [String: String]?

    init(_ settings: Settings) throws(UnusableSetting) {
        let configuration = try settings.originConfiguration
        let addresses = configuration.policy.addresses
        allowsPrivate = addresses.allowsPrivate
        allowed = Set(addresses.allowed.map(\.code))
        denied = Set(addresses.denied.map(\.code))
        store = configuration.store?.endpoint.absolute
        blobs = configuration.blobs?.endpoint.absolute
        folders = try settings.fileConfiguration.folders
    }

    /// The originals that may have come from a place that these rules close and the former rules allowed. Addresses are judged
    /// only when they are dialled, and the address of a fetch is not recorded, so a newly closed network puts all originals in
    /// doubt. If a store or a folder is replaced, its originals are in doubt, because objects of another store, and files of another
    /// folder, can have the same names.
    func doubted(since former: OriginRules) -> [PurgeSelection] {
        if narrows(former) { return [.all] }
        var doubted: [PurgeSelection] = []
        if store != former.store { doubted.append(.prefix("s3://")) }
        if blobs != former.blobs { doubted.append(.prefix("azure://")) }
        // A name that is taken away is among them, because it may come back for another folder.
        for (name, path) in former.folders ?? [:] where folders?[name] != path {
            doubted.append(.prefix("file://\(name)/"))
        }
        return doubted
    }

    /// True if these rules may close an address that `former` allowed. Ports do not matter here, because a URL's port is checked
    /// at each request.
    private func narrows(_ former: OriginRules) -> Bool {
        former.allowsPrivate && !allowsPrivate || !former.allowed.isSubset(of: allowed)
            || !denied.isSubset(of: former.denied)
    }
}
