// SPDX-License-Identifier: Apache-2.0

/// The key that signs a request to an object store.
package struct StoreCredentials: Sendable, Hashable, CustomStringConvertible {
    /// The name of the key, which requests contain.
    package var accessKey: String
    /// The secret, which is never sent.
    package var secretKey: String
    /// The session token of temporary credentials, which is sent; empty for permanent ones.
    package var sessionToken: String

    package init(accessKey: String, secretKey: String, sessionToken: String = "") {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }

    /// Contains nothing of the credentials.
    package var description: String { "credentials" }
}
