// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import HTTPSemantics
internal import Recipes
internal import RequestGrammar
internal import Signatures

/// A dialect of operations: everything that thumbor's and imagor's URLs share; only the grammars differ.
struct OperationDialect: Dialect {
    let name: DialectName
    /// The segments and filters that its URLs may have.
    let grammar: OperationGrammar
    /// The settings of the dialect.
    let rules: OperationRules
    /// Has the ladder of widths.
    let vocabulary: Vocabulary
    /// True if a URL whose signature is wrong must also be tried with its escapes decoded.
    var readsUnescaped = false

    var isServed: Bool { rules.isServed }
    var place: PathPlace? { rules.place }
    var path: String { rules.place?.base ?? "" }

    func holds(_ target: RequestTarget) -> Bool {
        guard let rest = place?.rest(of: target.rawPath[...]) else { return false }
        return !path.isEmpty || OperationTarget(rest, grammar)?.isPlausible ?? false
    }

    /// As in the services: signatures are required if there are keys.
    func isOpen(by rule: SignatureRule) -> Bool {
        (rules.keys.isEmpty || rules.allowsUnsafe) && !rule.required.contains(name)
    }

    /// The signature is the first segment, and covers the rest of the path. These URLs have no query.
    func admit(
        _ target: RequestTarget, _ rule: SignatureRule, now: Timestamp
    ) throws(SignatureFailure) -> SignatureRule.Admission {
        guard let sent = operations(of: target) else { throw .missing }
        var ground = SignatureRule.Admission.Ground.open
        var read = sent
        if sent.signature == nil {
            guard isOpen(by: rule) else { throw .missing }
        } else {
            guard let signed = verified(sent) else { throw .wrong }
            (ground, read) = (.signed, signed)
        }
        let expiry = expiry(of: read)
        if let expiry, now.seconds >= expiry { throw .expired(at: expiry) }
        return SignatureRule.Admission(ground: ground, target: form(read), expiry: expiry)
    }

    func advice(
        on failure: SignatureFailure, of target: RequestTarget, _ rule: SignatureRule
    ) -> String? {
        let sent = operations(of: target)
        let words = PathSignatureWords(
            segment: sent.map { $0.signature ?? Array(OperationTarget.unsigned.utf8) },
            isPlausible: sent?.isPlausible ?? false, group: name.rawValue, place: "\(path)/",
            example: "300x200/host/photo.jpg", hasKeys: !rules.keys.isEmpty,
            openWord: isOpen(by: rule) ? OperationTarget.unsigned : nil)
        return switch failure {
        case .missing: words.missing
        case .wrong:
            words.wrong(
                orOf: readsUnescaped ? "of another imagor.signer or imagor.signer-truncate" : nil)
        case .expired, .invalidExpiry: nil
        }
    }

    func form(of target: RequestTarget) -> SignedForm {
        let sent = operations(of: target)
        let read = sent.flatMap { verified($0) ?? $0 }
        return SignedForm(
            material: read?.path ?? [], target: read.map { form($0) } ?? target,
            expiry: read.flatMap(expiry))
    }

    /// The form of the target for which the signature is right; only this form is read.
    private func verified(_ sent: OperationTarget) -> OperationTarget? {
        guard let signature = sent.signature else { return nil }
        let forms = readsUnescaped ? [sent, sent.unescaped] : [sent]
        return forms.first { rules.keys.verify(signature, of: $0.path) }
    }

    private func form(_ operations: OperationTarget) -> RequestTarget {
        RequestTarget(path: path, query: operations.path)
    }

    private func operations(of target: RequestTarget) -> OperationTarget? {
        place?.rest(of: target.rawPath[...]).flatMap { OperationTarget($0, grammar) }
    }

    /// Unix time in seconds. An unreadable path has no expiry here, and is refused by `read`.
    private func expiry(of operations: OperationTarget) -> Int64? {
        guard grammar.filters[ExpireFilter.name] != nil else { return nil }
        return (try? OperationPath(operations.path[...], grammar)).flatMap {
            ExpireFilter.seconds(in: $0.filters)
        }
    }

    /// - Parameter target: a target in the form that `admit` returns.
    func read(_ target: RequestTarget) throws(Refusal) -> ImageRequest {
        do throws(OperationRefusal) {
            let path = try OperationPath((target.query ?? [])[...], grammar)
            var asked = try path.request(grammar, rules.sources, rules.others, vocabulary)
            if !rules.formats.isEmpty, asked.recipe.output == .source {
                (asked.recipe.output, asked.terms.defaultFormat) = (.auto, .own)
            }
            return asked
        } catch {
            throw Refusal(ErrorResponse(.badParameter, error.message))
        }
    }

    /// What a target with imagor's `params/` means. It needs no signature, because the answer says nothing that the URL does not.
    func meaning(of target: RequestTarget) -> String? {
        guard let meaning = grammar.meaning else { return nil }
        return place?.rest(of: target.rawPath[...]).flatMap(meaning)
    }

    var reportWords: ReportWords { grammar.report }

    /// Leaves only the formats that the settings name.
    func accepted(_ accept: AcceptClass) -> AcceptClass { accept.intersection(rules.formats) }

    /// In the query, options are segments written as in a URL.
    func url(saying query: CanonicalQuery, by rule: SignatureRule) throws(Refusal) -> String? {
        let path: String
        do throws(OperationRefusal) { path = try OperationSpelling.path(saying: query, grammar) } catch {
            throw Refusal(ErrorResponse(.badParameter, error.message))
        }
        return rules.keys.signature(of: Array(path.utf8)).map { "\(self.path)/\($0)/\(path)" }
    }
}
