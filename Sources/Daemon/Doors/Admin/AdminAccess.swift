// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics

/// Who may use which route of the admin listener. On a unix socket the file's permissions have decided that already.
struct AdminAccess: Sendable {
    let token: AdminToken?

    /// Nil: go on.
    func refusal(of request: Request, to access: AdminRoute.Access) -> ErrorResponse? {
        guard access != .open, request.peer.address != nil else { return nil }
        guard let token else { return access == .giving ? Self.noToken : nil }
        return token.isCarried(by: request.fields) ? nil : Self.unauthorized
    }

    private static let unauthorized = ErrorResponse(
        401, "unauthorized", "This needs the admin token: Authorization: Bearer …")
    private static let noToken = ErrorResponse(
        403, "no_token", "Orders are taken on a unix socket, or with a token: set admin.token-file.")
}
