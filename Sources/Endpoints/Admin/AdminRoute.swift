// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics
package import HTTPServer
internal import Kernel

/// One path and method of the admin listener, with its access and its answer.
package struct AdminRoute: Sendable {
    /// The requests that a route accepts; `AdminAccess` applies it.
    package enum Access: Sendable {
        /// Every request, by any host name: health checks, whose answers tell a stranger nothing.
        case probing
        /// Every request by an accepted host name: scrapes of metrics.
        case open
        /// Requests with the token, or on a unix socket; if no token is set, requests of this machine by an accepted host name too.
        case reading
        /// Requests with the token, or on a unix socket: orders.
        case giving
    }

    let method: String
    let path: String
    let access: Access
    /// True if the 404 for an unknown path lists this route.
    var isListed = true
    let answer: @Sendable (Request, _ query: [UInt8]) async -> Response

    /// - Parameter answer: receives the request, and its query without the question mark.
    static func get(
        _ path: String, _ access: Access = .reading,
        _ answer: @escaping @Sendable (Request, _ query: [UInt8]) async -> Response
    ) -> AdminRoute {
        AdminRoute(method: "GET", path: path, access: access, answer: answer)
    }

    static func post(
        _ path: String, _ answer: @escaping @Sendable (Request, _ query: [UInt8]) async -> Response
    ) -> AdminRoute {
        AdminRoute(method: "POST", path: path, access: .giving, answer: answer)
    }

    /// True for the route's method, and for HEAD on a GET route.
    func takes(_ method: String) -> Bool { self.method == method || self.method == "GET" && method == "HEAD" }

    var methods: String { method == "GET" ? "GET, HEAD" : method }
}

extension Response {
    /// An answer that clients must not store, such as the admin listener's.
    package static func text(_ status: Int, _ text: String, type: String = "text/plain; charset=utf-8")
        -> Response
    {
        var fields = Fields()
        fields.append("Content-Type", type)
        fields.append("Cache-Control", "no-store")
        fields.append("X-Content-Type-Options", "nosniff")
        return Response(status: status, fields: fields, body: .bytes(ImmutableBytes(text.utf8)))
    }

    /// A temporary redirect to another path of the listener.
    static func lead(to path: String) -> Response {
        var fields = Fields()
        fields.append("Location", path)
        fields.append("Cache-Control", "no-store")
        return Response(status: 302, fields: fields)
    }

    /// The report as one line of JSON, as `ControlJSON` writes it.
    package static func json(_ report: some Encodable, status: Int = 200) -> Response {
        .text(status, ControlJSON.text(report) + "\n", type: "application/json")
    }
}
