// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import SourceURLs

/// The client and the site that a fetch's permit counts for.
struct PermitAccount: Sendable, Hashable {
    /// The client that asked first.
    var client: Asker
    var site: Site
}

extension SourceOrigin {
    var site: Site { Site(host: host) }
}
