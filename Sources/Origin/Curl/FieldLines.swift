// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import HTTPSemantics
internal import Traces

/// The request's own field lines, as libcurl's linked list.
///
/// libcurl does not copy the list, so the `EasyHandle` keeps it for as long as the transfer lasts.
final class FieldLines {
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    /// - Parameters:
    ///   - fields: of every request.
    ///   - request: its conditions are added.
    ///   - trace: told, if there is one.
    init(_ fields: Fields, request: Download? = nil, trace: TracePlace? = nil) {
        for field in fields.list { append(field.name, field.value) }
        append("If-None-Match", request?.ifNoneMatch)
        append("If-Modified-Since", request?.ifModifiedSince)
        append("traceparent", trace?.traceparent)
        append("tracestate", trace?.state)
    }

    /// Adds the fields that ask for the rest of a body.
    convenience init(_ fields: Fields, restOf torn: TornBody, trace: TracePlace?) {
        self.init(fields, trace: trace)
        append("Range", torn.range)
        append("If-Range", torn.ifRange)
    }

    deinit { curl_slist_free_all(list) }

    /// Skips an empty value, and one with control characters, which could start a second line of the request.
    private func append(_ name: String, _ value: String?) {
        guard let value, !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return }
        // Nil only without memory; the list so far stays valid.
        if let longer = curl_slist_append(list, "\(name): \(value)") { list = longer }
    }
}
