// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar

/// The part of a URL that its signature covers.
package struct SignedForm: Sendable {
    /// The bytes that a signature covers.
    package var material: [UInt8]
    /// The target to read if the signature is right; the target as sent if there is no signature.
    package var target: RequestTarget
    /// True if the URL has a signature, right or wrong.
    package var hasSignature: Bool
    /// The expiry as unix time in seconds; nil for none, and for invalid text.
    package var expiry: Int64?

    /// Takes the parts.
    package init(material: [UInt8], target: RequestTarget, hasSignature: Bool, expiry: Int64?) {
        self.material = material
        self.target = target
        self.hasSignature = hasSignature
        self.expiry = expiry
    }

    /// The form of a URL whose signature is a parameter of the query.
    init(ofQueryIn target: RequestTarget) {
        let canonical = CanonicalQuery(target.query ?? [])
        let isSigned = !canonical.signatures.isEmpty
        self.init(
            material: canonical.material(path: target.path),
            target: isSigned ? RequestTarget(path: target.path, query: canonical.bytes) : target,
            hasSignature: isSigned, expiry: (try? canonical.expiry()) ?? nil)
    }
}
