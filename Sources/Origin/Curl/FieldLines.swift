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
    ///   - fields: the fields of every request.
    ///   - conditions: the fields of this request only.
    ///   - trace: the trace to pass on, if there is one.
    init(_ fields: Fields, _ conditions: [Fields.Field] = [], trace: TracePlace? = nil) {
        for field in fields.list + conditions { append(field) }
        if let trace {
            append(Fields.Field("traceparent", trace.traceparent))
            append(Fields.Field("tracestate", trace.state))
        }
    }

    deinit { curl_slist_free_all(list) }

    /// False for an empty value, and for a value with control characters, which could begin another line of the request.
    static func isSendable(_ field: Fields.Field) -> Bool {
        !field.value.isEmpty && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private func append(_ field: Fields.Field) {
        guard Self.isSendable(field) else { return }
        // Nil only if there is no memory; the list so far stays valid then.
        if let longer = curl_slist_append(list, "\(field.name): \(field.value)") { list = longer }
    }
}
