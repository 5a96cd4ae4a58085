// SPDX-License-Identifier: Apache-2.0

/// Reasons to refuse a fetch. Only logs and counters show them: an answer with the reason would reveal what
/// lies behind a name.
package enum SourceRefusal: Error, Sendable, Hashable {
    /// The address is in a special range, whose purpose is given.
    case address(purpose: String)
    /// The address is in a network that the configuration denies.
    case network
    /// The address is one of this process's own listeners.
    case ownListener
    case port(UInt16)
    /// The configuration denies the host.
    case host
    /// The configuration denies the URL's prefix.
    case url
    /// The configuration lists what is allowed, and the URL is not on the list.
    case notListed
    /// A name that only resolvers of inside networks know.
    case insideName
    /// Something that is neither http nor https where only these are fetched, as behind a redirect.
    case scheme
    /// A redirect from https to http, where the configuration forbids it.
    case downgrade
    /// A redirect that carries a user name or a password.
    case userInformation
    /// A URL that libcurl cannot read, or reads otherwise than we do.
    case malformed
}
