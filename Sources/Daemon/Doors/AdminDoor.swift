// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics
internal import HTTPServer
internal import ImageModel
internal import Kernel

/// The admin listener: is it alive, is it ready, how is it doing.
///
/// **Isolation:** immutable; the closures guard what they read.
final class AdminDoor: RequestHandler {
    private let readiness: @Sendable () -> Readiness
    private let metrics: @Sendable () -> String

    init(readiness: @escaping @Sendable () -> Readiness, metrics: @escaping @Sendable () -> String) {
        self.readiness = readiness
        self.metrics = metrics
    }

    /// Nothing here is worth a shortcut, and everything here is quick enough for a task.
    func shortcut(_ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer) -> ReadyAnswer? {
        nil
    }

    func respond(to request: Request) async -> Response {
        guard let target = try? RequestTarget(request.target.utf8) else {
            return ErrorResponse.notFound.response()
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            return ErrorResponse.methodNotAllowed.response()
        }
        switch target.path {
        case "/health/live": return Self.text(200, "alive\n")
        case "/health/ready":
            switch readiness() {
            case .ready(nil): return Self.text(200, "ready\n")
            case .ready(let remark?): return Self.text(200, "ready, but \(remark)\n")
            case .notReady(let reason): return Self.text(503, "not ready: \(reason)\n")
            }
        case "/metrics": return Self.text(200, metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
        default:
            return ErrorResponse(
                404, "not_found", "There is nothing here; try /health/live, /health/ready or /metrics."
            ).response()
        }
    }

    func refusal(_ error: MessageError) -> Response { ErrorResponse(error).response() }

    /// Probes and scrapes are not the traffic that logs and metrics are about.
    func completed(_ exchange: borrowing ExchangeRecord) {}

    private static func text(_ status: Int, _ text: String, type: String = "text/plain; charset=utf-8")
        -> Response
    {
        var fields = Fields()
        fields.append("Content-Type", type)
        fields.append("Cache-Control", "no-store")
        return Response(status: status, fields: fields, body: .bytes(ImmutableBytes(text.utf8)))
    }
}
