// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import SourceURLs

/// An account of Azure Blob Storage, and the containers of it that originals may come from.
package struct BlobStore: Sendable, Hashable {
    /// The credentials of requests.
    package enum Access: Sendable, Hashable {
        /// Nothing: the containers are public.
        case anybody
        case key(SharedKey)
        case token(AccessToken)
    }

    /// Scheme, host and port, and a path where an emulator has the account's name in it.
    package var endpoint: SourceURL
    /// The containers that clients may name.
    package var containers: Set<String>
    package var access: Access

    /// The version of the service's protocol. Without one, Azure answers strangers by that of 2009, in which entity tags have
    /// no quotes.
    private static let version = "2021-08-06"

    /// By default for containers that anybody may read.
    package init(endpoint: SourceURL, containers: Set<String>, access: Access = .anybody) {
        self.endpoint = endpoint
        self.containers = containers
        self.access = access
    }

    /// Reads the URL of the blob service, as `https://account.blob.core.windows.net` or `http://127.0.0.1:10000/account`; nil
    /// for one with a query.
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
        // A container itself has no slash behind its name.
        let rest = url.target.hasPrefix("/?") ? url.target.dropFirst() : url.target[...]
        return SourceURL(
            scheme: endpoint.scheme, host: endpoint.host, port: endpoint.port,
            target: "\(root)/\(url.host)\(rest)")
    }

    /// The list of a container, which clients cannot ask for: what they name has no query.
    package static func list(of container: String) -> SourceURL {
        SourceURL(
            scheme: .azure, host: container, port: 0, target: "/?restype=container&comp=list&maxresults=1")
    }

    /// The URL that is sent for this place. It may hold the token, and is for no other eyes.
    package func sent(_ place: SourceURL) -> SourceURL {
        guard case .token(let token) = access else { return place }
        let separator = place.target.contains("?") ? "&" : "?"
        return SourceURL(
            scheme: place.scheme, host: place.host, port: place.port,
            target: "\(place.target)\(separator)\(token.query)")
    }

    /// The fields of a request to this place at that time, signed where there is a key.
    /// - Parameter conditions: what else is sent, for the signature to cover.
    package func fields(
        for place: SourceURL, at time: Timestamp, conditions: [Fields.Field] = []
    ) -> [Fields.Field] {
        let version = Fields.Field("x-ms-version", Self.version)
        guard case .key(let key) = access else { return [version] }
        let fields = [Fields.Field("x-ms-date", HTTPDate.format(time)), version]
        let signature = key.authorization(target: place.target, fields: fields + conditions)
        return fields + [Fields.Field("Authorization", signature)]
    }

    /// True if the text shows a secret that was sent.
    package func isBetrayed(by text: String) -> Bool {
        if case .token(let token) = access { token.isShown(in: text) } else { false }
    }
}
