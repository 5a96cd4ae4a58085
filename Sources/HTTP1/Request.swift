// SPDX-License-Identifier: Apache-2.0

package import Clients
package import HTTPSemantics

/// A copied request, for handlers that wait.
package struct Request: Sendable {
    /// The method as spelled by the client, because methods are case-sensitive.
    package var method: String
    /// Path and query, beginning with "/", or "*" for a server-wide OPTIONS.
    package var target: String
    /// The requested host and port, as spelled; may be empty.
    package var authority: String
    /// The minor version, 0 or 1; the major version is 1.
    package var minorVersion: UInt8
    /// Every field line, in order.
    package var fields: Fields
    /// The content; empty unless the server was told to keep it.
    package var body: [UInt8]
    /// The client, as in `RequestView`.
    package var peer: PeerAddress
    /// The request's ID in logs and answers, set by the server.
    package var id = ""
    /// True if the client sent the ID.
    package var hasOwnID = false

    /// By default a request without fields and content, from a unix socket.
    package init(
        method: String, target: String, authority: String = "", minorVersion: UInt8 = 1,
        fields: Fields = Fields(), body: [UInt8] = [], peer: PeerAddress = .local
    ) {
        self.method = method
        self.target = target
        self.authority = authority
        self.minorVersion = minorVersion
        self.fields = fields
        self.body = body
        self.peer = peer
    }
}
