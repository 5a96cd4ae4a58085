// SPDX-License-Identifier: Apache-2.0

/// The key that a request to an object store is signed with.
package struct StoreCredentials: Sendable, Hashable, CustomStringConvertible {
    /// The key's name, which requests show.
    package var accessKey: String
    /// Never sent.
    package var secretKey: String
    /// The session token of temporary credentials, sent along; empty for lasting ones.
    package var sessionToken: String

    /// Takes them as they are.
    package init(accessKey: String, secretKey: String, sessionToken: String = "") {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }

    /// Nothing of them.
    package var description: String { "credentials" }
}
