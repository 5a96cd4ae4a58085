// SPDX-License-Identifier: Apache-2.0

package import Answers
internal import Clients
package import HTTP1
internal import HTTPSemantics

/// The access rules of the admin listener. On a unix socket the file's permissions decide instead.
package struct AdminAccess: Sendable {
    /// Nil if no token is set: then orders are accepted on a unix socket only, and this machine may read without a token.
    package let token: AdminToken?
    /// The names accepted from requests without the token, except for probes.
    package let hosts: AdminHosts

    /// - Parameter token: nil if the settings set none.
    package init(token: AdminToken?, hosts: AdminHosts) {
        self.token = token
        self.hosts = hosts
    }

    /// The refusal of a request to a route with this access; nil if the request is allowed.
    ///
    /// The errors are `page_refused`, `host_refused`, `unauthorized` and `no_token`.
    package func refusal(of request: Request, to access: AdminRoute.Access) -> ErrorResponse? {
        if access == .giving, PageOrigin.isForeign(request) { return Self.pageRefused }
        // A foreign page does not know the token, so the host name does not matter.
        if access == .probing || token?.isCarried(by: request.fields) ?? false { return nil }
        guard hosts.include(request) else { return Self.misdirected }
        guard access != .open, request.peer.address != nil else { return nil }
        if token == nil { return access == .reading && request.peer.isLoopback ? nil : Self.noToken }
        return Self.unauthorized
    }

    /// 421 (RFC 9110 §15.5.20).
    private static let misdirected = ErrorResponse(
        .hostRefused,
        "Ask for the admin listener by an address, by localhost, or by a name in admin.hosts or admin.listen."
    )
    private static let pageRefused = ErrorResponse(
        .pageRefused, "A browser may give orders only from pages of this listener.")
    private static let unauthorized = ErrorResponse(
        .unauthorized, "This needs the admin token: Authorization: Bearer …")
    private static let noToken = ErrorResponse(
        .noToken,
        "This needs a unix socket or a token: set admin.token-file. Without one, only this machine may look, and nobody may give orders."
    )
}
