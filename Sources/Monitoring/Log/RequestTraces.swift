// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Bytes
internal import Clients
package import HTTP1
internal import HTTPSemantics
package import HTTPServer
internal import Pipeline
internal import Recipes
internal import Synchronization
package import Telemetry
package import TraceExport
package import Traces
internal import Tracing

/// The spans of the public listener's requests, with the attributes of OpenTelemetry's conventions for HTTP servers.
///
/// **Isolation:** a `Mutex` guards the secrets, held while they are copied; the tracer and the exporter have locks of their own.
package final class RequestTraces: Sendable {
    /// Samples the requests and collects their spans.
    package let tracer: RequestTracer
    /// Sends the spans of the traces that are kept.
    package let exporter: SpanExporter
    private let secrets: Mutex<SecretParameters>

    /// - Parameter secrets: parameters whose values are hidden in spans.
    package init(tracer: RequestTracer, exporter: SpanExporter, hiding secrets: SecretParameters) {
        (self.tracer, self.exporter) = (tracer, exporter)
        self.secrets = Mutex(secrets)
    }

    /// Hides these parameters in the spans that end from now on, and applies the sampling rule.
    package func replace(hiding secrets: SecretParameters, _ rule: SamplingRule) {
        self.secrets.withLock { $0 = secrets }
        tracer.replaceRule(with: rule)
    }

    /// The text with the values of secret parameters replaced.
    package func redacted(_ text: String, _ kind: SecretParameters.Kind = .other) -> String {
        secrets.withLock(\.self).redacted(text, kind)
    }

    /// True if the client keeps its trace. The request then becomes a part of that trace, with all its stages.
    package func isAsked(for request: borrowing RequestView) -> Bool {
        guard tracer.rule.takesParent, request.head.has(.traceparent), let value = request[.traceparent]
        else {
            return false
        }
        return TracePlace(traceparent: value.text)?.isSampled ?? false
    }

    /// Answers a request within a span, which goes along with the answer and ends with its last byte.
    package func trace(_ request: Request, _ answer: () async -> Response) async -> Response {
        let span = begin(request)
        var response = await InstrumentationContext.$current.withValue(span.context) { await answer() }
        if Task.isCancelled {
            abandon(span, request)
        } else {
            let notes = response.notes as? AnswerNotes
            response.notes = AnswerNotes(
                key: notes?.key, times: notes?.times ?? StageTimes(), span: span)
        }
        return response
    }

    private func begin(_ request: Request) -> RequestSpan {
        var parent: TracePlace?
        if tracer.rule.takesParent, let field = request.fields.combined("traceparent") {
            parent = TracePlace(
                traceparent: field, tracestate: request.fields.combined("tracestate") ?? "")
        }
        return tracer.begin(Self.name(request.method), parent: parent)
    }

    /// Ends the span of a request whose client left before there was an answer.
    private func abandon(_ span: RequestSpan, _ request: Request) {
        let microseconds = Int(clamping: (span.now &- span.start) / 1000)
        tracer.finish(span, status: ExchangeRecord.clientClosedRequest, microseconds: microseconds) { span in
            describe(span, method: request.method, target: request.target, peer: request.peer)
            span.note("http.response.status_code", ExchangeRecord.clientClosedRequest)
            span.note("pictor.request_id", request.id)
        }
    }

    /// Ends the span of an exchange. The span was begun with the request, or is made here.
    /// - Returns: the span's place if the trace is kept.
    func finish(_ exchange: borrowing ExchangeRecord, _ tag: AnswerTag) -> TracePlace? {
        let (status, microseconds) = (exchange.status, exchange.microseconds)
        let notes = exchange.notes as? AnswerNotes
        let span: RequestSpan
        if let begun = notes?.span {
            span = begun
        } else {
            // If the client left, the request's task ends its span (`abandon`), so no second one is made here.
            guard status != ExchangeRecord.clientClosedRequest,
                let instant = tracer.instant(
                    Self.name(exchange.method.text), status: status, microseconds: microseconds)
            else { return nil }
            span = instant
        }
        let (method, target, peer) = (exchange.method.text, exchange.target.text, exchange.peer)
        let id = exchange.withRequestID { $0.text }
        let bytes = exchange.bodyBytes
        return tracer.finish(span, status: status, microseconds: microseconds) { span in
            describe(span, method: method, target: target, peer: peer)
            span.note("http.response.status_code", status)
            span.note("http.response.body.size", bytes)
            span.note("error.type", tag.error ?? (status >= 500 ? String(status) : nil))
            span.note("pictor.request_id", id)
            span.note("pictor.outcome", tag.recordedOutcome.rawValue)
            span.note("pictor.dialect", tag.dialect.value)
            span.note("pictor.key", notes?.key?.digest.hex)
        }
    }

    private func describe(_ span: RequestSpan, method: String, target: String, peer: PeerAddress) {
        let text = redacted(target, .target)
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        span.note("http.request.method", Self.known.contains(method) ? method : "_OTHER")
        span.note("url.path", parts.first.map(String.init))
        span.note("url.query", parts.count == 2 ? String(parts[1]) : nil)
        span.note("client.address", peer.host)
    }

    /// The methods that may name a span; names of other methods would let clients make any number of span names.
    private static let known: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
    ]

    private static func name(_ method: String) -> String { known.contains(method) ? method : "HTTP" }
}
