// SPDX-License-Identifier: Apache-2.0

/// Reasons to refuse a fetch. Only logs and counters show them, because an answer with the reason would reveal what is behind a
/// name.
package enum SourceRefusal: Error, Sendable, Hashable {
    /// The address is in a special range; `purpose` describes the range.
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
    /// A name that only resolvers of internal networks know.
    case insideName
    /// A scheme other than http and https where only these are permitted, for example behind a redirect.
    case scheme
    /// A redirect from https to http, which the configuration forbids.
    case downgrade
    /// A redirect that carries a user name or a password.
    case userInformation
    /// A URL that libcurl cannot read, or reads differently from Pictor.
    case malformed
}
