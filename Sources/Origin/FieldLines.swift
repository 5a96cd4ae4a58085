// SPDX-License-Identifier: Apache-2.0

internal import CCurl

/// The request's own field lines, as the list that libcurl reads them from.
///
/// libcurl does not copy it, so it lives in the `EasyHandle` for as long as the transfer does.
final class FieldLines {
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    /// Says `identity` rather than nothing, which would allow any coding (RFC 9110 §12.5.3): compressing a
    /// picture again helps nobody, and a body that is decoded here could swell without bound.
    init(_ configuration: OriginConfiguration, request: Download? = nil) {
        append("Accept", configuration.accept)
        append("Accept-Encoding", "identity")
        append("If-None-Match", request?.ifNoneMatch)
        append("If-Modified-Since", request?.ifModifiedSince)
    }

    deinit { curl_slist_free_all(list) }

    /// A value with control characters would be a second line of the request: it is left out, as is an empty
    /// one.
    private func append(_ name: String, _ value: String?) {
        guard let value, !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return }
        // Nil only without memory; the list so far stays valid.
        if let longer = curl_slist_append(list, "\(name): \(value)") { list = longer }
    }
}
