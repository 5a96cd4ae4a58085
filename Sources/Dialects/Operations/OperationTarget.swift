// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// `SIGNATURE/operations/image`, or `unsafe/operations/image`.
struct OperationTarget {
    /// The decoded signature; nil if the URL is unsigned.
    let signature: [UInt8]?
    /// The part that is signed and read: everything after the signature and its slash, as sent.
    let path: [UInt8]
    /// True if the target asks what the URL means, with `params/` before it.
    var asksMeaning = false

    /// - Parameter rest: the path after the place of the dialect.
    /// - Returns: nil without a segment at its front.
    init?(_ rest: ArraySlice<UInt8>, _ grammar: OperationGrammar) {
        var rest = grammar.skipsSlashes ? rest.drop { $0 == UInt8(ascii: "/") } : rest
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
    /// The word that replaces a signature.
    static let unsigned = "unsafe"

    private init(signature: [UInt8]?, path: [UInt8]) { (self.signature, self.path) = (signature, path) }

    /// The same target with its path decoded, and spaces for pluses, which imagor tries if the signature of the path as sent is
    /// wrong.
    var unescaped: OperationTarget { OperationTarget(signature: signature, path: FormText.decode(path)) }

    /// True for a path with a signature or with `unsafe` in its place. At `/`, other paths belong to no dialect: a signature has at
    /// least 17 characters, all of base64url.
    var isPlausible: Bool {
        guard let signature, !asksMeaning else { return true }
        return (17...88).contains(signature.count)
            && signature.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || "-_=".utf8.contains($0)
            }
    }
}
