// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics
package import HTTPServer
internal import Kernel

/// One thing that the admin listener answers.
package struct AdminRoute: Sendable {
    package enum Access: Sendable {
        /// Anybody, by whatever name: health checks, whose answers are worth nothing to a stranger.
        case probing
        /// Anybody: scrapes.
        case open
        /// Whoever carries the token, where there is one.
        case reading
        /// Whoever carries the token; without one, nobody but those on a unix socket.
        case giving
    }

    let method: String
    let path: String
    let access: Access
    let answer: @Sendable (Request, _ query: [UInt8]) async -> Response

    /// - Parameter answer: gets the query too, without the question mark.
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

    /// A HEAD is answered as its GET.
    func takes(_ method: String) -> Bool { self.method == method || self.method == "GET" && method == "HEAD" }

    var methods: String { method == "GET" ? "GET, HEAD" : method }
}

extension Response {
    /// Of the admin listener: never to be kept.
    package static func text(_ status: Int, _ text: String, type: String = "text/plain; charset=utf-8")
        -> Response
    {
        var fields = Fields()
        fields.append("Content-Type", type)
        fields.append("Cache-Control", "no-store")
        fields.append("X-Content-Type-Options", "nosniff")
        return Response(status: status, fields: fields, body: .bytes(ImmutableBytes(text.utf8)))
    }

    package static func json(_ report: some Encodable, status: Int = 200) -> Response {
        .text(status, ControlJSON.text(report) + "\n", type: "application/json")
    }
}
