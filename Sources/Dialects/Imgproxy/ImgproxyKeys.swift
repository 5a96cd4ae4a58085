// SPDX-License-Identifier: Apache-2.0
//
// A signature is the HMAC-SHA256 by a key over a salt and the path after it, cut to a number of bytes, in base64url.

internal import Bytes
internal import Hashing
internal import Settings

struct ImgproxyKeys: Sendable {
    private let pairs: [HexPairs.Pair]
    /// Bytes of a signature, 1…32.
    private let size: Int
    /// Words that are accepted as signatures.
    private let trusted: [String]

    init(_ settings: Settings) throws(UnusableSetting) {
        pairs = try settings.imgproxySecrets.pairs
        size = settings.imgproxy.signatureSize
        trusted = settings.imgproxy.trustedSignatures.texts
    }

    var isEmpty: Bool { pairs.isEmpty }

    /// The signature by the first pair of key and salt; nil without one.
    func signature(of text: String) -> String? { pairs.first.map { code(of: text, by: $0) } }

    func trusts(_ signature: String) -> Bool {
        trusted.reduce(false) { Self.isSame($1, signature) || $0 }
    }

    /// True if a text looks like a signature, ignoring its padding and its variant of base64. Options and names of presets do not.
    func mayBeSignature(_ text: String) -> Bool {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }.count
        // Each digit has six bits.
        return (digits >= 16 || digits == (size * 8 + 5) / 6)
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_+=".utf8.contains($0) }
    }

    /// True for a right signature. Every pair is tried, so that the time taken does not tell which one matched.
    func verify(_ path: ImgproxyPath) -> Bool {
        var isRight = trusts(path.signature)
        for pair in pairs { isRight = Self.isSame(code(of: path.text, by: pair), path.signature) || isRight }
        return isRight
    }

    private func code(of text: String, by pair: HexPairs.Pair) -> String {
        Base64URL.encode(MessageCode.of(pair.salt + Array(text.utf8), key: pair.key).bytes.prefix(size))
    }

    private static func isSame(_ a: String, _ b: String) -> Bool {
        Array(a.utf8).withUnsafeBytes { a in Array(b.utf8).withUnsafeBytes { a.isSameSecret(as: $0) } }
    }
}
