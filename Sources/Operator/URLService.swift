// SPDX-License-Identifier: Apache-2.0

package import Answers
internal import Dialects
internal import HTTPSemantics
package import RequestGrammar
package import Settings
internal import Signatures

/// Makes and checks URLs for `pictor url`, by the daemon's settings, endpoints and rules, but without a
/// daemon. Times are unix seconds, passed in.
package struct URLService: Sendable {
    /// A refusal: a code for programs and a sentence for people.
    package struct Failure: Error, CustomStringConvertible {
        /// The code and the sentence, as `code: sentence`.
        package let description: String

        /// Takes the code and the sentence.
        package init(_ code: String, _ message: String) { description = "\(code): \(message)" }
        /// Takes both from the daemon's refusal.
        package init(_ words: ErrorResponse) { self.init(words.code, words.message) }
    }

    private let dialects: Dialects
    private let signatures: SignatureRule
    /// The beginning of the URLs, up to the endpoint's path, without a slash at its end.
    private let base: String
    /// The separator of arguments in imgproxy's URLs.
    private let argumentsSeparator: String

    /// - Parameter base: the URL's beginning, such as `https://img.example.com`.
    /// - Throws: if the settings' rules or keys are unusable.
    package init(_ settings: Settings, base: String) throws(UnusableSetting) {
        dialects = try Dialects(settings)
        signatures = try settings.signatureRule
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        argumentsSeparator = settings.imgproxy.argumentsSeparator
    }

    /// A signed URL, whose query is in the canonical form that the signature covers.
    ///
    /// - Parameters:
    ///   - options: `name=value`, or a name alone; unescaped. Options of imgproxy may also be written as in its URLs: `rs:fill:300:400`.
    ///   - file: the name behind `/img`, for a native URL; nil for none.
    /// - Throws: without a key, or if the endpoint would refuse the URL.
    package func make(
        _ source: String, _ options: [String], at name: DialectName, expiry: Int64?, file: String? = nil
    ) throws(Failure) -> String {
        guard file.map({ name == .native && NativeDialect.isName($0) }) ?? true else {
            throw Failure(
                "bad_parameter",
                "A name is for native URLs, and has up to 255 letters, digits, dots, low lines and hyphens, with a dot within it: photo.jpg."
            )
        }
        var words = [("url", source as String?)]
        for option in options {
            let (word, value) = split(option, at: name)
            guard !["url", "url64", "exp", "sig"].contains(word) else {
                throw Failure("bad_parameter", "The parameter \(word) is not given as an option here.")
            }
            words.append((word, value))
        }
        if let expiry { words.append(("exp", "\(expiry)")) }
        let query = CanonicalQuery(words)
        let dialect = dialects[name]
        guard dialect.isServed else {
            throw Failure(
                "not_found", "The dialect \(name.rawValue) is off; \(name.rawValue).enabled turns it on.")
        }
        let made: String?
        if let file {
            made = signatures.sign(query, path: "\(dialect.path)/\(file)")
        } else {
            do throws(Refusal) { made = try dialect.url(saying: query, by: signatures) } catch {
                throw Failure(error.words)
            }
        }
        guard let made else {
            let remedy =
                name.hasOwnKeys ? "set \(name.rawValue).keys" : "name one with --key-file"
            throw Failure("no_key", "There is no key to sign with; \(remedy).")
        }
        // Checks that the URL's endpoint accepts it and reads its expiry.
        _ = try check(base + made, now: 0)
        return base + made
    }

    /// Divides an option at the first `=`, or at the separator of arguments in imgproxy's URLs.
    private func split(_ option: String, at dialect: DialectName) -> (name: String, value: String?) {
        let name = option.prefix { character in
            character != "=" && (dialect != .imgproxy || String(character) != argumentsSeparator)
        }
        guard name.endIndex < option.endIndex else { return (option, nil) }
        return (String(name), String(option[name.endIndex...].dropFirst()))
    }

    /// The target of a picture at the native endpoint, signed if there is a key.
    ///
    /// - Parameter options: an escaped query without `url`.
    /// - Throws: if the endpoint would refuse the target.
    func target(of source: String, options: String) throws(Failure) -> String {
        try Self.mustNameNoSource(options)
        let query = CanonicalQuery(CanonicalQuery([("url", source)]).bytes + Array("&\(options)".utf8))
        guard query.signatures.isEmpty else {
            throw Failure("bad_parameter", "The parameter sig is not given as an option here.")
        }
        let dialect = dialects[.native]
        let target = try target(query, at: dialect)
        let signature = signatures.keys?.signature(of: query.material(path: dialect.path))
        return target + (signature.map { "&sig=\($0)" } ?? "")
    }

    /// Refuses a source among the options of a picture whose source is given apart. The endpoint would report it as a parameter
    /// that is given twice.
    static func mustNameNoSource(_ options: String) throws(Failure) {
        let query = CanonicalQuery(options.utf8)
        for name in ["url", "url64"] where !query.values(of: name).isEmpty {
            throw Failure("bad_parameter", "The parameter \(name) is not given as an option here.")
        }
    }

    private static func unsigned(_ reason: String) -> Failure {
        Failure("signature_missing", "This URL has no signature, and \(reason).")
    }

    private func target(_ query: CanonicalQuery, at dialect: any Dialect) throws(Failure) -> String {
        _ = try read(RequestTarget(path: dialect.path, query: query.bytes), at: dialect)
        return "\(dialect.path)?\(String(decoding: query.bytes, as: UTF8.self))"
    }

    /// Checks that the URL is correctly signed, not expired, and readable by its endpoint.
    ///
    /// - Returns: the unix time at which the URL expires; nil if never.
    /// - Throws: the refusal.
    package func check(_ url: String, now: Int64) throws(Failure) -> Int64? {
        let (dialect, target) = try target(of: url)
        let admission: SignatureRule.Admission
        do throws(SignatureFailure) {
            admission = try dialect.admit(target, signatures, now: Timestamp(seconds: now))
        } catch {
            throw Failure(dialect.refusal(for: error, of: target, signatures))
        }
        switch admission.ground {
        case .signed: _ = try read(admission.target, at: dialect)
        case .freePreset: throw Self.unsigned("its preset needs none")
        case .freeOptions: throw Self.unsigned("its options need none")
        case .open: throw Self.unsigned("the endpoint \(dialect.name.rawValue) needs none")
        }
        return admission.expiry
    }

    /// The URL as the daemon reads it, and the verdict on its signature.
    /// - Throws: if the endpoint cannot read the URL.
    package func explain(_ url: String, now: Int64) throws(Failure) -> URLExplanation {
        let (dialect, target) = try target(of: url)
        let form = dialect.form(of: target)
        let asked = try read(form.target, at: dialect)
        var state: (word: String, message: String)
        do throws(SignatureFailure) {
            let admission = try dialect.admit(target, signatures, now: Timestamp(seconds: now))
            state = (admission.ground.rawValue, admission.ground.words)
        } catch {
            let words = dialect.refusal(for: error, of: target, signatures)
            state = (words.code, words.message)
        }
        return URLExplanation(
            dialect: dialect.name, asked: asked, state: state, expiry: form.expiry,
            material: String(decoding: form.material, as: UTF8.self))
    }

    private func read(_ target: RequestTarget, at dialect: any Dialect) throws(Failure) -> ImageRequest {
        do throws(Refusal) {
            return try dialects.read(target, by: dialect)
        } catch {
            throw Failure(error.words)
        }
    }

    private func target(of url: String) throws(Failure) -> (any Dialect, RequestTarget) {
        let rest = base.isEmpty || !url.hasPrefix(base) ? url[...] : url.dropFirst(base.count)
        let target = try? RequestTarget(rest.prefix { $0 != "#" }.utf8)
        if let target, let found = dialects.match(target) { return found }
        // As the daemon says it.
        let off = target.map(dialects.disabled(holding:)) ?? []
        let elsewhere = target.map(dialects.elsewhere(meaning:)) ?? []
        guard off.isEmpty, elsewhere.isEmpty else { throw Failure(.unserved(off, elsewhere: elsewhere)) }
        throw Failure("not_found", "Its path is none of \(dialects.list()); what comes before it is --base.")
    }
}

extension SignatureRule.Admission.Ground {
    /// A sentence for people.
    fileprivate var words: String {
        switch self {
        case .signed: "The signature is right."
        case .freePreset: "There is no signature, and its preset needs none."
        case .freeOptions: "There is no signature, and its options need none."
        case .open: "There is no signature, and its endpoint needs none."
        }
    }
}
