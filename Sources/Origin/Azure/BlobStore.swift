// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import SourceURLs

/// An account of Azure Blob Storage, and those of its containers from which originals may come.
package struct BlobStore: Sendable, Hashable {
    /// How requests are authenticated.
    package enum Access: Sendable, Hashable {
        /// Not at all: the containers are public.
        case anybody
        case key(SharedKey)
        case token(AccessToken)
    }

    /// Scheme, host and port, and for an emulator a path with the account's name.
    package var endpoint: SourceURL
    /// The containers that clients may name.
    package var containers: Set<String>
    package var access: Access

    /// The version of the service's protocol. Without it, Azure answers unauthenticated requests by the version of 2009, in which
    /// entity tags have no quotation marks.
    private static let version = "2021-08-06"

    /// By default, anybody may read the containers.
    package init(endpoint: SourceURL, containers: Set<String>, access: Access = .anybody) {
        self.endpoint = endpoint
        self.containers = containers
        self.access = access
    }

    /// Reads the URL of the blob service, such as `https://account.blob.core.windows.net` or `http://127.0.0.1:10000/account`;
    /// nil for a URL with a query.
    package static func endpoint(_ text: String) -> SourceURL? {
        guard text.contains("://"), let url = try? SourceURL.parse(text), url.scheme.isWeb,
            !url.target.contains("?")
        else { return nil }
        return url
    }

    /// True if clients may name this blob.
    package func holds(_ url: SourceURL) -> Bool { url.scheme == .azure && containers.contains(url.host) }

    /// The URL of a blob, without a token.
    package func place(of url: SourceURL) -> SourceURL {
        let root = endpoint.target.hasSuffix("/") ? endpoint.target.dropLast() : endpoint.target[...]
        // The URL of a container itself has no slash behind the name.
        let rest = url.target.hasPrefix("/?") ? url.target.dropFirst() : url.target[...]
        return SourceURL(
            scheme: endpoint.scheme, host: endpoint.host, port: endpoint.port,
            target: "\(root)/\(url.host)\(rest)")
    }

    /// The URL of a container's list. Clients cannot request it, because the URLs that they can name have no query.
    package static func list(of container: String) -> SourceURL {
        SourceURL(
            scheme: .azure, host: container, port: 0, target: "/?restype=container&comp=list&maxresults=1")
    }

    /// The URL that is sent for this place. It may contain the token, so it must not be shown or stored.
    package func sent(_ place: SourceURL) -> SourceURL {
        guard case .token(let token) = access else { return place }
        let separator = place.target.contains("?") ? "&" : "?"
        return SourceURL(
            scheme: place.scheme, host: place.host, port: place.port,
            target: "\(place.target)\(separator)\(token.query)")
    }

    /// The fields of a request to this place at that time, signed if there is a key.
    /// - Parameter conditions: further fields of the request, which the signature must cover.
    package func fields(
        for place: SourceURL, at time: Timestamp, conditions: [Fields.Field] = []
    ) -> [Fields.Field] {
        let version = Fields.Field("x-ms-version", Self.version)
        guard case .key(let key) = access else { return [version] }
        let fields = [Fields.Field("x-ms-date", HTTPDate.format(time)), version]
        let signature = key.authorization(target: place.target, fields: fields + conditions)
        return fields + [Fields.Field("Authorization", signature)]
    }

    /// True if the text contains a secret that was sent.
    package func hasSecret(in text: String) -> Bool {
        if case .token(let token) = access { token.isShown(in: text) } else { false }
    }
}
