// SPDX-License-Identifier: Apache-2.0
//
// Advice about a missing or wrong signature, for people who make such URLs. The sentences name settings and repeat parts of the URL
// that are no signature. About keys they reveal only whether there are any, which every answer reveals.

package import Answers
package import RequestGrammar
package import Signatures

extension Dialect {
    /// The refusal of a URL that `admit` did not accept.
    package func refusal(
        for failure: SignatureFailure, of target: RequestTarget, _ rule: SignatureRule
    ) -> ErrorResponse {
        ErrorResponse(failure, message: advice(on: failure, of: target, rule))
    }

    /// Default: advice about a signature that is a parameter of the query.
    package func advice(
        on failure: SignatureFailure, of target: RequestTarget, _ rule: SignatureRule
    ) -> String? {
        switch failure {
        case .missing:
            var free: [String] = []
            if hasFreePresets, !rule.freePresets.isEmpty {
                free.append("one preset of signatures.free-presets")
            }
            if hasFreePresets, !rule.freeOptions.isEmpty { free.append("options of signatures.free-options") }
            let presets =
                free.isEmpty ? "" : ", or ask for url and \(free.joined(separator: " and ")) alone"
            return
                "Pictures are given here for signed URLs only, and this URL has no signature. Add sig, by a key of signatures.keys-file\(presets)."
        case .wrong where rule.keys == nil:
            return
                "The signature cannot be verified, since there are no keys here. Leave sig out, or set signatures.keys-file.\(cutSource(target))"
        case .wrong where CanonicalQuery(target.query ?? []).signatures.count > 1:
            return "The URL has more than one sig. Keep the right one.\(cutSource(target))"
        case .wrong:
            return
                "The signature does not match this URL: it is by another key than those of signatures.keys-file, or over another path or query. What is signed is the path, a question mark, and the query in its canonical form.\(cutSource(target))"
        case .expired, .invalidExpiry: return nil
        }
    }

    /// Advice if the source may be cut: a store's signature may also be called `sig`, and is in the source's query, which an
    /// unescaped `&` cuts.
    private func cutSource(_ target: RequestTarget) -> String {
        // A URL with everything in its path has no query to cut.
        guard place == nil else { return "" }
        let source = CanonicalQuery(target.query ?? []).values(of: "url").first ?? nil
        let hasQuery = source.map { String(decoding: $0, as: UTF8.self).contains("%3F") } ?? false
        return hasQuery ? " If sig is a part of the source, write the & before it as %26." : ""
    }
}

/// Advice for dialects whose URLs begin with their signature.
struct PathSignatureWords {
    /// The segment in the place of the signature; nil if the path ends before its picture.
    let segment: [UInt8]?
    /// True if the segment looks like a signature.
    let isPlausible: Bool
    /// The group of the dialect's settings, such as `thumbor`.
    let group: String
    /// The beginning of the dialect's URLs, with a slash at the end.
    let place: String
    /// An example of what follows a signature: `300x200/host/photo.jpg`.
    let example: String
    let hasKeys: Bool
    /// The word for an unsigned URL; nil if those are not answered.
    let openWord: String?

    private var keys: String { "\(group).keys-file" }
    private var orOpen: String { openWord.map { ", or \($0)" } ?? "" }

    /// The advice if nothing, or the word for an unsigned URL, replaces the signature.
    var missing: String {
        guard let segment else {
            return
                "The URL ends before its picture. Its form is \(place)\(openWord ?? "SIGNATURE")/\(example)."
        }
        return
            "URLs are signed here, and this one has \(Self.quoted(segment)) in place of its signature. Write the signature there, by a key of \(keys)."
    }

    /// - Parameter others: what beside the key may differ; nil if nothing else can.
    func wrong(orOf others: String? = nil) -> String {
        let what = segment.map(Self.quoted) ?? "nothing"
        return switch (hasKeys, isPlausible) {
        case (true, true):
            "The signature does not match this URL: it is by another key than those of \(keys)\(others.map { ", \($0)" } ?? ""), or over something else than what stands behind it."
        case (true, false):
            "\(what) stands where the signature belongs. Write the signature before it, by a key of \(keys)\(orOpen): \(place)SIGNATURE/\(example)."
        case (false, true):
            "The signature cannot be verified, since there are no keys here. Write \(openWord ?? "unsafe") in its place, or set \(keys)."
        case (false, false):
            "\(what) stands where the signature or the word \(openWord ?? "unsafe") belongs. Write it before that: \(place)\(openWord ?? "unsafe")/\(example)."
        }
    }

    /// The text in quotes, with characters other than visible ASCII replaced.
    private static func quoted(_ text: [UInt8]) -> String {
        let seen = text.prefix(40).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        return "\"\(String(decoding: seen, as: UTF8.self))\""
    }
}
