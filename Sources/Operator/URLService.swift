// SPDX-License-Identifier: Apache-2.0

package import Answers
internal import Dialects
internal import HTTPSemantics
package import RequestGrammar
package import Settings
internal import Signatures

/// What `pictor url` is about: URLs of ours, made and judged by the settings, endpoints and rules of the daemon, but without
/// one. Time is passed in, as unix time in seconds.
package struct URLService: Sendable {
    /// Why it cannot be done: a word for programs and a sentence for people.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(_ code: String, _ message: String) { description = "\(code): \(message)" }
        package init(_ words: ErrorResponse) { self.init(words.code, words.message) }
    }

    private let dialects: Dialects
    private let signatures: SignatureRule
    /// What clients write before the endpoint's path, without a slash at its end.
    private let base: String

    package init(_ settings: Settings, base: String) throws(UnusableSetting) {
        dialects = try Dialects(settings)
        signatures = try settings.signatureRule
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
    }

    /// A signed URL, its query in the form that is signed.
    ///
    /// - Parameter options: `name=value`, or a name alone; nothing in them is escaped yet.
    package func make(
        _ source: String, _ options: [String], at name: DialectName, expiry: Int64?
    ) throws(Failure) -> String {
        guard let keys = signatures.keys else {
            throw Failure("no_key", "There is no key to sign with; name one with --key-file.")
        }
        var words = [("url", source as String?)]
        for option in options {
            let name = String(option.prefix { $0 != "=" })
            guard !["url", "exp", "sig"].contains(name) else {
                throw Failure("bad_parameter", "The parameter \(name) is not given as an option here.")
            }
            words.append((name, name == option ? nil : String(option.dropFirst(name.count + 1))))
        }
        if let expiry { words.append(("exp", "\(expiry)")) }
        let query = CanonicalQuery(words)
        let dialect = dialects[name]
        _ = try read(RequestTarget(path: dialect.path, query: query.bytes), at: dialect)
        let text = String(decoding: query.bytes, as: UTF8.self)
        return "\(base)\(dialect.path)?\(text)&sig=\(keys.signature(of: query.material(path: dialect.path)))"
    }

    /// Throws unless the URL has a right signature, has not ended, and is one that its endpoint can read.
    ///
    /// - Returns: until when it is good; nil = for ever.
    package func check(_ url: String, now: Int64) throws(Failure) -> Int64? {
        let (dialect, target) = try target(of: url)
        let admission: SignatureRule.Admission
        do throws(SignatureFailure) {
            admission = try dialect.admit(target, signatures, now: Timestamp(seconds: now))
        } catch {
            throw Failure(ErrorResponse(error))
        }
        switch admission.ground {
        case .signed: _ = try read(admission.target, at: dialect)
        case .freePreset: throw Failure("signature_missing", "It has none, and its preset needs none.")
        case .open:
            throw Failure(
                "signature_missing", "It has none, and the endpoint \(dialect.name.rawValue) needs none.")
        }
        return admission.expiry
    }

    /// What the daemon reads out of the URL, and what it thinks of its signature.
    package func explain(_ url: String, now: Int64) throws(Failure) -> URLExplanation {
        let (dialect, target) = try target(of: url)
        let canonical = CanonicalQuery(target.query ?? [])
        // As the endpoint is given it.
        let isSigned = canonical.signatures.isEmpty == false
        let asked = try read(
            isSigned ? RequestTarget(path: target.path, query: canonical.bytes) : target, at: dialect)
        var state: (word: String, message: String)
        do throws(SignatureFailure) {
            let admission = try dialect.admit(target, signatures, now: Timestamp(seconds: now))
            state = (admission.ground.rawValue, admission.ground.words)
        } catch {
            let words = ErrorResponse(error)
            state = (words.code, words.message)
        }
        return URLExplanation(
            dialect: dialect.name, asked: asked, state: state, expiry: (try? canonical.expiry()) ?? nil,
            material: String(decoding: canonical.material(path: target.path), as: UTF8.self))
    }

    private func read(_ target: RequestTarget, at dialect: any Dialect) throws(Failure) -> ImageRequest {
        do throws(Refusal) {
            return try dialect.read(target)
        } catch {
            throw Failure(error.words)
        }
    }

    private func target(of url: String) throws(Failure) -> (any Dialect, RequestTarget) {
        let rest = base.isEmpty || !url.hasPrefix(base) ? url[...] : url.dropFirst(base.count)
        guard let target = try? RequestTarget(rest.prefix { $0 != "#" }.utf8),
            let dialect = dialects.dialect(of: target)
        else {
            throw Failure(
                "not_found", "Its path is none of \(dialects.list()); what comes before it is --base.")
        }
        return (dialect, target)
    }
}

extension SignatureRule.Admission.Ground {
    /// For people.
    fileprivate var words: String {
        switch self {
        case .signed: "The signature is right."
        case .freePreset: "There is no signature, and its preset needs none."
        case .open: "There is no signature, and its endpoint needs none."
        }
    }
}
