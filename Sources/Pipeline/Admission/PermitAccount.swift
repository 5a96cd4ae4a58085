// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import SourceURLs

/// The account of a fetch's permit.
struct PermitAccount: Sendable, Hashable {
    /// The client that asked first; nil for one without an address. All clients without an address count as
    /// one.
    var client: ClientKey?
    var site: Site
}

extension SourceOrigin {
    var site: Site { Site(host: host) }
}
