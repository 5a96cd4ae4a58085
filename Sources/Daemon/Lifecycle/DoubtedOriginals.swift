// SPDX-License-Identifier: Apache-2.0

internal import Origin
internal import Pipeline
internal import SourceURLs

extension OriginConfiguration {
    /// The originals that may have come from where nothing is fetched from any more, once these settings have taken the place of
    /// the former ones. Lists of hosts and URLs leave none in doubt: they are asked at each request, and of redirects by
    /// `RedirectRules`. Addresses are judged where they are dialled alone, and nobody knows any more which ones lay behind the
    /// names; and a store's objects have the same names in another store.
    func doubted(since former: OriginConfiguration) -> [PurgeSelection] {
        if policy.addresses.narrows(former.policy.addresses) { return [.all] }
        var doubted: [PurgeSelection] = []
        if store?.endpoint != former.store?.endpoint { doubted.append(.prefix("s3://")) }
        if blobs?.endpoint != former.blobs?.endpoint { doubted.append(.prefix("azure://")) }
        return doubted
    }
}
