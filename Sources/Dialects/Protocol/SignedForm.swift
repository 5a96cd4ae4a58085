// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar

/// A URL as its signature sees it.
package struct SignedForm: Sendable {
    /// The bytes that a signature covers.
    package var material: [UInt8]
    /// The target to read behind a right signature; as it was sent, where there is none.
    package var target: RequestTarget
    /// Whether there is one, right or wrong.
    package var hasSignature: Bool
    /// Unix time in seconds; nil for ever, and for what is no time.
    package var expiry: Int64?

    /// Takes the parts.
    package init(material: [UInt8], target: RequestTarget, hasSignature: Bool, expiry: Int64?) {
        self.material = material
        self.target = target
        self.hasSignature = hasSignature
        self.expiry = expiry
    }

    /// The signature is a parameter of the query.
    init(ofQueryIn target: RequestTarget) {
        let canonical = CanonicalQuery(target.query ?? [])
        let isSigned = !canonical.signatures.isEmpty
        self.init(
            material: canonical.material(path: target.path),
            target: isSigned ? RequestTarget(path: target.path, query: canonical.bytes) : target,
            hasSignature: isSigned, expiry: (try? canonical.expiry()) ?? nil)
    }
}
