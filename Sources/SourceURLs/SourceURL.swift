// SPDX-License-Identifier: Apache-2.0

/// A source URL, parsed once and normalised, so that the URL that is checked is the URL that is fetched.
///
/// URLs that differ only in `sentTarget` are equal, because they mean the same original.
package struct SourceURL: Sendable {
    /// The schemes that can be fetched.
    package enum Scheme: String, Sendable, Hashable {
        case http, https
        /// A file below a folder that the settings name: `file://folder/path`.
        case file
        /// An object in a store with the S3 protocol: `s3://bucket/key`.
        case s3
        /// A blob of an account of Azure Blob Storage: `azure://container/blob`.
        case azure

        /// 80 for http, 443 for https; 0 for schemes whose URLs name no server.
        package var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            case .file, .s3, .azure: 0
            }
        }

        /// True for http and https, to which clients can be redirected, and redirects can lead.
        package var isWeb: Bool {
            switch self {
            case .http, .https: true
            case .file, .s3, .azure: false
            }
        }

        /// True for schemes of object stores, which the settings name.
        package var isStore: Bool {
            switch self {
            case .s3, .azure: true
            case .http, .https, .file: false
            }
        }
    }

    /// The URL's scheme.
    package let scheme: Scheme
    /// The host in lower case, punycode, without a trailing dot; IPv4 as a dotted quad; IPv6 in the form of RFC 5952, without
    /// brackets. For schemes other than http and https, the name of the folder, the bucket or the container.
    package let host: String
    /// The explicit port, or the scheme's default.
    package let port: UInt16
    /// Path and query as sent to the origin, starting with "/". For schemes other than http and https a path alone, in which
    /// everything except RFC 3986's unreserved characters and slashes is escaped.
    package let target: String
    /// The target including parameters that only open the original, such as a signature, which `target` lacks. Nil if the URL has no
    /// such parameters. Only the origin gets them; they are in no key and no log.
    package let sentTarget: String?
    /// The normalised absolute URL, without the default port, a fragment and user information. Computed once, because it is often
    /// needed as a key.
    package let absolute: String

    /// Takes parts that are normalised already; `parse(_:bareScheme:)` reads text.
    package init(scheme: Scheme, host: String, port: UInt16, target: String, sentTarget: String? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.target = target
        self.sentTarget = sentTarget
        absolute = Self.spelled(scheme, host, port, target)
    }

    private static func spelled(_ scheme: Scheme, _ host: String, _ port: UInt16, _ target: String) -> String
    {
        var text = scheme.rawValue
        text.reserveCapacity(text.utf8.count + host.utf8.count + target.utf8.count + 11)
        text += "://"
        text += uriHost(host)
        if port != scheme.defaultPort { text += ":\(port)" }
        text += target
        return text
    }

    private static func uriHost(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    }
}

extension SourceURL: Hashable {
    package static func == (a: SourceURL, b: SourceURL) -> Bool {
        a.scheme == b.scheme && a.port == b.port && a.host == b.host && a.target == b.target
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(host)
        hasher.combine(port)
        hasher.combine(target)
    }
}

extension SourceURL {
    /// The host as in URLs: IPv6 in brackets (RFC 3986 §3.2.2).
    package var uriHost: String { Self.uriHost(host) }

    /// The URL as its origin gets it, which may hold a secret.
    package var sent: SourceURL {
        guard let sentTarget else { return self }
        return SourceURL(scheme: scheme, host: host, port: port, target: sentTarget)
    }

    /// The cache key of this URL's original, if it is requested with fields of a client.
    /// - Parameter variant: the digest of these fields, as in `OriginalKey`; empty without any.
    package func key(variant: String) -> OriginalKey { OriginalKey(url: absolute, variant: variant) }

    /// The cache key of this URL's original, if it is requested without fields of a client. A request's own key may have a variant.
    package var bareKey: OriginalKey { OriginalKey(url: absolute) }
}
