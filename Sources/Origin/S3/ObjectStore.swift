// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import SourceURLs

/// A store that speaks S3, and those of its buckets from which originals may come.
package struct ObjectStore: Sendable, Hashable {
    /// Where a bucket's name is in the store's URLs.
    package enum Style: String, Sendable, Hashable, CaseIterable {
        /// `https://store.example/bucket/key`.
        case path
        /// `https://bucket.store.example/key`.
        case host
    }

    /// Scheme, host and port of the store; its target is "/".
    package var endpoint: SourceURL
    /// The region, which is a part of the signature.
    package var region: String
    /// Where a bucket's name is in URLs.
    package var style: Style
    /// The buckets that clients may name.
    package var buckets: Set<String>
    /// Nil if anybody may read the buckets.
    package var credentials: StoreCredentials?
    /// The credentials of the platform, which replace `credentials`; nil if the platform is not asked.
    package var renewed: RenewedCredentials?

    /// By default, anybody may read the buckets.
    package init(
        endpoint: SourceURL, region: String, style: Style, buckets: Set<String>,
        credentials: StoreCredentials? = nil
    ) {
        self.endpoint = endpoint
        self.region = region
        self.style = style
        self.buckets = buckets
        self.credentials = credentials
    }

    /// True while the platform has issued no key, so that requests are not signed.
    var lacksKey: Bool { renewed != nil && (renewed?.current ?? credentials) == nil }

    /// Reads the URL of a store, such as `https://store.example:8080`; nil for a URL with a path or a query.
    package static func endpoint(_ text: String) -> SourceURL? {
        guard text.contains("://"), let url = try? SourceURL.parse(text), url.scheme.isWeb, url.target == "/"
        else { return nil }
        return url
    }

    /// True if clients may name this object.
    package func holds(_ url: SourceURL) -> Bool { url.scheme == .s3 && buckets.contains(url.host) }

    /// The URL of a request for an object.
    package func place(of url: SourceURL) -> SourceURL {
        let isPath = style == .path
        return SourceURL(
            scheme: endpoint.scheme, host: isPath ? endpoint.host : "\(url.host).\(endpoint.host)",
            port: endpoint.port, target: isPath ? "/\(url.host)\(url.target)" : url.target)
    }

    /// The fields that sign a request to this place at that time; empty without credentials.
    /// - Parameter bodyHash: the SHA-256 of the request's body, in hexadecimal digits.
    package func fields(
        for place: SourceURL, at time: Timestamp, method: String = "GET",
        bodyHash: String = RequestSignature.emptyBody
    ) -> [Fields.Field] {
        guard let credentials = renewed?.current ?? credentials else { return [] }
        let stamp = RequestSignature.stamp(time)
        var fields = [
            Fields.Field("x-amz-content-sha256", bodyHash),
            Fields.Field("x-amz-date", stamp),
        ]
        if !credentials.sessionToken.isEmpty {
            fields.append(Fields.Field("x-amz-security-token", credentials.sessionToken))
        }
        let signature = RequestSignature(credentials, region: region, service: "s3").authorization(
            method: method, target: place.target,
            fields: fields + [Fields.Field("host", place.authority)], stamp: stamp, bodyHash: bodyHash)
        return fields + [Fields.Field("Authorization", signature)]
    }
}

extension SourceURL {
    /// The authority as libcurl sends it in `Host`.
    fileprivate var authority: String { port == scheme.defaultPort ? uriHost : "\(uriHost):\(port)" }
}
