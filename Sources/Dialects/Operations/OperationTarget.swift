// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// `SIGNATURE/operations/image`, or `unsafe/operations/image`.
struct OperationTarget {
    /// Decoded; nil where the URL is unsigned.
    let signature: [UInt8]?
    /// The part that is signed and read: everything behind the signature and its slash, as it was sent.
    let path: [UInt8]
    /// Whether the target asks what the URL means, with `params/` before it.
    var asksMeaning = false

    /// - Parameter rest: of the path, behind the place of the dialect.
    /// - Returns: nil without a segment at its front.
    init?(_ rest: ArraySlice<UInt8>, _ grammar: OperationGrammar) {
        var rest = rest
        if grammar.meaning != nil, rest.starts(with: Self.params.utf8) {
            rest = rest.dropFirst(Self.params.utf8.count)
            asksMeaning = true
        }
        let segment = rest.prefix { $0 != UInt8(ascii: "/") }
        guard segment.endIndex < rest.endIndex else { return nil }
        path = Array(rest[segment.endIndex...].dropFirst())
        let decoded = PercentEscape.decode(lenient: segment)
        signature = decoded.elementsEqual(Self.unsigned.utf8) ? nil : decoded
    }

    private static let params = "params/"
    /// Stands in place of a signature.
    static let unsigned = "unsafe"

    private init(signature: [UInt8]?, path: [UInt8]) { (self.signature, self.path) = (signature, path) }

    /// The same with every escape of its path decoded, and blanks for pluses, as imagor tries it where what was sent has
    /// another signature.
    var unescaped: OperationTarget { OperationTarget(signature: signature, path: FormText.decode(path)) }

    /// True for a path with a signature or with `unsafe` in its place. Below `/`, other paths belong to no dialect: a signature
    /// has 17 characters at least, all of base64url.
    var isPlausible: Bool {
        guard let signature, !asksMeaning else { return true }
        return (17...88).contains(signature.count)
            && signature.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || "-_=".utf8.contains($0)
            }
    }
}
