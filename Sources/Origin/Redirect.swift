// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import HTTPSemantics
internal import ImageModel

/// Where a redirect leads (RFC 9110 §10.2.2, RFC 3986 §5).
enum Redirect {
    /// 300 and 304 to 306 are no orders to go elsewhere; for a GET the five others are all the same.
    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Resolved and normalised by libcurl's own URL parser, which will also dial it: what is checked is what is
    /// fetched. A fragment is dropped.
    static func target(_ location: String, from base: SourceURL) throws(Refusal) -> SourceURL {
        guard let parts = curl_url() else { throw .malformed }
        defer { curl_url_cleanup(parts) }
        guard curl_url_set(parts, CURLUPART_URL, base.absolute, 0) == CURLUE_OK else { throw .malformed }
        let code = curl_url_set(parts, CURLUPART_URL, location, UInt32(CURLU_URLENCODE))
        guard code != CURLUE_UNSUPPORTED_SCHEME else { throw .scheme }
        guard code == CURLUE_OK else { throw .malformed }

        guard let scheme = part(parts, CURLUPART_SCHEME).flatMap(SourceURL.Scheme.init) else { throw .scheme }
        guard part(parts, CURLUPART_USER) == nil, part(parts, CURLUPART_PASSWORD) == nil else {
            throw .userInformation
        }
        guard let host = part(parts, CURLUPART_HOST, CURLU_PUNYCODE), part(parts, CURLUPART_ZONEID) == nil,
            let port = part(parts, CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap({ UInt16($0) })
        else { throw .malformed }
        let query = part(parts, CURLUPART_QUERY).map { "?" + $0 } ?? ""
        return SourceURL(
            scheme: scheme, host: bare(host), port: port, target: (part(parts, CURLUPART_PATH) ?? "/") + query
        )
    }

    /// A host as `SourceURL` keeps it: lower case, IPv6 without brackets.
    private static func bare(_ host: String) -> String {
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    private static func part(_ url: OpaquePointer, _ what: CURLUPart, _ flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, what, &text, UInt32(flags)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
