// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Clients
package import HTTP1
package import HTTPSemantics
package import HTTPServer
internal import JSON
package import Monitoring
internal import Platform
internal import RequestGrammar

/// The admin listener: a table of routes, and the rules of access to them.
///
/// **Isolation:** immutable; the objects that the routes call guard themselves.
package final class AdminEndpoint: RequestHandler {
    private let routes: [AdminRoute]
    private let access: AdminAccess
    private let orders: OrderLog

    /// Takes the routes; several may share a path with different methods.
    package init(_ routes: [AdminRoute], access: AdminAccess, orders: OrderLog) {
        self.routes = routes
        self.access = access
        self.orders = orders
    }

    /// Always nil: admin answers are not cached.
    package func cachedAnswer(_ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer)
        -> ReadyAnswer?
    {
        nil
    }

    /// Checks the path (404), then the method (405 with `Allow`), then the access (`AdminAccess`), and that an order names no member
    /// twice (400).
    package func respond(to request: Request) async -> Response {
        let target = try? RequestTarget(request.target.utf8)
        let found = routes.filter { $0.path == target?.path }
        guard !found.isEmpty else { return ErrorResponse(.notFound, unknownPath).response() }
        guard let route = found.first(where: { $0.takes(request.method) }) else {
            var refusal = ErrorResponse(.methodNotAllowed, "This path takes another method.")
                .response()
            refusal.fields.set("Allow", found.map(\.methods).joined(separator: ", "))
            return refusal
        }
        let (isOrder, peer) = (route.access == .giving, request.peer.description)
        if let refusal = access.refusal(of: request, to: route.access) {
            if isOrder {
                orders.note(
                    refused: route.path, from: peer, error: refusal.code, now: SystemEnvironment.now().seconds
                )
            }
            return refusal.response()
        }
        let answer: Response
        if isOrder, let name = UntrustedJSON.repeatedMember(in: request.body) {
            answer = Self.refusal(ofRepeated: name)
        } else {
            answer = await route.answer(request, target?.query ?? [])
        }
        if isOrder {
            orders.note(
                route.path, request.body, from: peer, status: answer.status,
                now: SystemEnvironment.now().seconds)
        }
        return answer
    }

    /// A member that is given twice is ambiguous.
    private static func refusal(ofRepeated name: String) -> Response {
        ErrorResponse(.badOrder, "The member \"\(name.prefix(40))\" is given more than once.").response()
    }

    /// The same text as on the public listener, without a tag for the log.
    package func refusal(_ error: MessageError) -> Response { ErrorResponse(error).response() }

    /// Does nothing: the access log and the metrics cover the public listener only, and orders have their own lines in the log.
    package func completed(_ exchange: borrowing ExchangeRecord) {}

    private var unknownPath: String {
        var paths: [String] = []
        for route in routes where route.isListed && !paths.contains(route.path) { paths.append(route.path) }
        return "There is nothing here. There is \(paths.joined(separator: ", "))."
    }
}
