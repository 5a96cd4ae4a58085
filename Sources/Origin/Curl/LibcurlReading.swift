// SPDX-License-Identifier: Apache-2.0

internal import CCurl
package import SourceURLs

/// A URL as libcurl's own parser reads it (libcurl-url(3)), with the options of `EasyHandle`.
///
/// The policy judges a `SourceURL`, and libcurl fetches a text. Two parsers that read one text differently let attackers past
/// such guards (server-side request forgery). So each URL is also read by libcurl's parser before it is fetched, and refused
/// unless both agree.
package struct LibcurlReading: Hashable {
    let scheme: String
    /// The host; an IPv6 address has no brackets.
    let host: String
    let port: String
    let target: String

    /// Nil if libcurl cannot read the text as a URL.
    package init?(_ text: String) {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        let flags = UInt32(CURLU_PATH_AS_IS | CURLU_DISALLOW_USER)
        guard curl_url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: handle),
            let host = Self.part(CURLUPART_HOST, of: handle),
            let port = Self.part(CURLUPART_PORT, of: handle),
            let path = Self.part(CURLUPART_PATH, of: handle),
            Self.part(CURLUPART_FRAGMENT, of: handle) == nil, Self.part(CURLUPART_ZONEID, of: handle) == nil
        else { return nil }
        self.scheme = scheme
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        target = path + (Self.part(CURLUPART_QUERY, of: handle).map { "?" + $0 } ?? "")
    }

    /// True if scheme, host, port and target are the same in both readings.
    package func agrees(with url: SourceURL) -> Bool {
        scheme == url.scheme.rawValue && host == url.host && port == String(url.port) && target == url.target
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else {
            return nil
        }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
