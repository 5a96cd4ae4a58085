// SPDX-License-Identifier: Apache-2.0

package import Answers
package import HTTPSemantics
package import RequestGrammar
internal import Settings
package import Signatures

/// `/SIGNATURE/rs:fill:300:400/g:sm/plain/https://host/photo.jpg@webp`: the URLs of imgproxy 4.
package struct ImgproxyDialect: Dialect {
    package let isServed: Bool
    package let place: PathPlace?
    private let keys: ImgproxyKeys
    private let rules: ImgproxyRules
    private let vocabulary: Vocabulary

    /// - Throws: for a preset, base URL, watermark, format or key that cannot be used.
    init(_ settings: Settings, _ vocabulary: Vocabulary) throws(UnusableSetting) {
        isServed = settings.imgproxy.enabled
        place = PathPlace(settings.imgproxy.path)
        keys = try ImgproxyKeys(settings)
        rules = try ImgproxyRules(settings, vocabulary)
        self.vocabulary = vocabulary
        guard keys.isEmpty == false || rules.encryptionKey.isEmpty else {
            throw UnusableSetting(
                description: "imgproxy.encryption-key wants signed URLs: set imgproxy.keys-file")
        }
        if isServed, keys.isEmpty, settings.signedDialects.contains(.imgproxy) {
            throw UnusableSetting(
                description:
                    "signatures.required: there is no key for imgproxy's URLs: set imgproxy.keys-file")
        }
    }

    package var name: DialectName { .imgproxy }
    package var path: String { place?.base ?? "" }

    /// As in imgproxy: signatures are required if there are keys.
    package func isOpen(by rule: SignatureRule) -> Bool { keys.isEmpty && !rule.required.contains(name) }

    /// The signature is the first segment, and covers the rest of the path.
    package func admit(
        _ target: RequestTarget, _ rule: SignatureRule, now: Timestamp
    ) throws(SignatureFailure) -> SignatureRule.Admission {
        let path = ImgproxyPath(rest(of: target))
        var ground = SignatureRule.Admission.Ground.open
        if !isOpen(by: rule) {
            guard let path, keys.trusts(path.signature) || !path.isUnsigned else { throw .missing }
            guard keys.verify(path) else { throw .wrong }
            ground = .signed
        }
        // An unreadable path has no expiry here, and is refused by `read`.
        let expiry = path.flatMap(expiry)
        if let expiry, now.seconds >= expiry { throw .expired(at: expiry) }
        return SignatureRule.Admission(ground: ground, target: target, expiry: expiry)
    }

    package func advice(
        on failure: SignatureFailure, of target: RequestTarget, _ rule: SignatureRule
    ) -> String? {
        let sent = ImgproxyPath(rest(of: target))?.signature
        let words = PathSignatureWords(
            segment: sent.map { Array($0.utf8) }, isPlausible: sent.map(keys.mayBeSignature) ?? false,
            group: name.rawValue, place: "\(path)/", example: "rs:fit:300:200/plain/https://host/photo.jpg",
            hasKeys: !keys.isEmpty, openWord: isOpen(by: rule) ? "unsafe" : nil)
        return switch failure {
        case .missing: words.missing
        case .wrong:
            words.wrong(orOf: "with another salt, of another imgproxy.signature-size, with padding (=)")
        case .expired, .invalidExpiry: nil
        }
    }

    package func form(of target: RequestTarget) -> SignedForm {
        let path = ImgproxyPath(rest(of: target))
        return SignedForm(
            material: Array((path?.text ?? "").utf8), target: target, expiry: path.flatMap(expiry))
    }

    /// True also for a plain URL with such a segment, because presets and options decide where the source begins.
    package func hidesSource(_ target: RequestTarget) -> Bool {
        guard !rules.encryptionKey.isEmpty else { return false }
        return ImgproxyPath(rest(of: target))?.text.contains("/enc/") == true
    }

    /// `rs=fill:300:400` becomes the option `rs:fill:300:400`; the source is written in base64.
    package func url(saying query: CanonicalQuery, by rule: SignatureRule) throws(Refusal) -> String? {
        let text: String
        do throws(ImgproxyRefusal) { text = try ImgproxyPath.text(saying: query, rules) } catch {
            throw Refusal(ErrorResponse(.badParameter, error.message))
        }
        return keys.signature(of: text).map { "\(path)/\($0)\(text)" }
    }

    /// Leaves only the formats that `imgproxy.auto-formats` names.
    package func accepted(_ accept: AcceptClass) -> AcceptClass { accept.intersection(rules.autoFormats) }

    package func read(_ target: RequestTarget) throws(Refusal) -> ImageRequest { try read(target, .none) }

    /// - Throws: the refusal of an option or a source.
    package func read(_ target: RequestTarget, _ needs: ClientNeeds) throws(Refusal) -> ImageRequest {
        do throws(ImgproxyRefusal) {
            return try ImageRequest.parse(
                imgproxy: rest(of: target), rules: rules, vocabulary: vocabulary, needs: needs)
        } catch {
            throw Refusal(ErrorResponse(.badParameter, error.message))
        }
    }

    package var reportWords: ReportWords { .imgproxy }

    /// The path after the dialect's place; empty for a target at another place.
    private func rest(of target: RequestTarget) -> ArraySlice<UInt8> {
        place?.rest(of: target.rawPath[...]) ?? []
    }

    /// The expiry; nil without one, and if the path cannot be read.
    private func expiry(_ path: ImgproxyPath) -> Int64? {
        path.isInfo ? (try? ImgproxyInfo(path, rules))?.expiry : (try? ImgproxyDraft(path, rules))?.expiry
    }
}
