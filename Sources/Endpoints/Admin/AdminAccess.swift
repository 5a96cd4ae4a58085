// SPDX-License-Identifier: Apache-2.0

internal import Clients
package import Answers
package import HTTP1
internal import HTTPSemantics

/// Who may use which route of the admin listener. On a unix socket the file's permissions have decided that already.
package struct AdminAccess: Sendable {
    package let token: AdminToken?
    package let hosts: AdminHosts

    package init(token: AdminToken?, hosts: AdminHosts) {
        self.token = token
        self.hosts = hosts
    }

    /// Nil: go on.
    package func refusal(of request: Request, to access: AdminRoute.Access) -> ErrorResponse? {
        // No page of a stranger carries the token.
        if access == .probing || token?.isCarried(by: request.fields) ?? false { return nil }
        guard hosts.include(request) else { return Self.misdirected }
        guard access != .open, request.peer.address != nil else { return nil }
        if token == nil { return access == .giving ? Self.noToken : nil }
        return Self.unauthorized
    }

    /// RFC 9110 §15.5.20.
    private static let misdirected = ErrorResponse(
        .hostRefused,
        "The admin listener is asked for by an address, as localhost, or by a name that admin.hosts or admin.listen says."
    )
    private static let unauthorized = ErrorResponse(
        .unauthorized, "This needs the admin token: Authorization: Bearer …")
    private static let noToken = ErrorResponse(
        .noToken, "Orders are taken on a unix socket, or with a token: set admin.token-file.")
}
