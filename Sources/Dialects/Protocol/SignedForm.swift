// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar

/// The part of a URL that its signature covers.
package struct SignedForm: Sendable {
    /// The bytes that a signature covers.
    package var material: [UInt8]
    /// The target to read if the signature is right; the target as sent if there is no signature.
    package var target: RequestTarget
    /// The expiry as unix time in seconds; nil for none, and for invalid text.
    package var expiry: Int64?

    /// Takes the parts.
    package init(material: [UInt8], target: RequestTarget, expiry: Int64?) {
        self.material = material
        self.target = target
        self.expiry = expiry
    }

    /// The form of a URL whose signature is a parameter of the query.
    init(ofQueryIn target: RequestTarget) {
        let canonical = CanonicalQuery(target.query ?? [])
        self.init(
            material: canonical.material(path: target.path),
            target: canonical.signatures.isEmpty
                ? target : RequestTarget(path: target.path, query: canonical.bytes),
            expiry: (try? canonical.expiry()) ?? nil)
    }
}
