// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import RequestGrammar

/// The reason why a URL is refused.
package enum SignatureFailure: Error, Sendable, Hashable {
    case missing
    /// The signature is by no known key or over something else, it is given twice, or no key is configured.
    case wrong
    /// The URL expired at this unix time.
    case expired(at: Int64)
    case invalidExpiry(RequestError)
}

/// The settings of signatures, and the judgement of a request by them.
///
/// If no signature is required, a signature that is given must be right nevertheless, so that mistakes show before signatures become
/// compulsory. `exp` applies with and without a signature.
package struct SignatureRule: Sendable {
    /// The keys; nil if none is configured, in which case every signature is wrong.
    package let keys: SignatureKeys?
    /// Dialects whose URLs need a signature.
    package let required: Set<DialectName>
    /// Names of presets that may be used without a signature.
    package let freePresets: Set<String>
    /// Names of options that an unsigned URL may have beside its source; empty if it may have only a free preset.
    package var freeOptions: Set<String> = []

    /// The admission of a request: why it is accepted, and what is read of it.
    package struct Admission: Sendable {
        /// The reason why a request is accepted.
        package enum Ground: String, Sendable {
            /// It is signed by one of the keys.
            case signed
            /// Its preset needs no signature.
            case freePreset
            /// Its options need no signature.
            case freeOptions
            /// Its endpoint needs no signature.
            case open
        }

        /// The reason; decides where a fallback may lead, and whether URLs of this daemon in the answer are signed.
        package let ground: Ground
        /// The target that the dialect reads; for a signed URL the form that was signed, instead of the target as sent.
        package let target: RequestTarget
        /// When the URL expires, as unix time in seconds; nil for never.
        package let expiry: Int64?

        /// For a URL that its dialect has judged itself.
        package init(ground: Ground, target: RequestTarget, expiry: Int64?) {
            (self.ground, self.target, self.expiry) = (ground, target, expiry)
        }
    }

    /// Judges a URL whose signature is in its query, and covers its path and the canonical form of the other parameters.
    ///
    /// - Parameter allowsPresets: true if a free preset may replace a signature.
    package func admit(
        _ target: RequestTarget, at dialect: DialectName, allowsPresets: Bool, now: Timestamp
    ) throws(SignatureFailure) -> Admission {
        let query = target.query ?? []
        guard required.contains(dialect) || QueryParameters.mayHold(["sig", "exp"], in: query) else {
            return Admission(ground: .open, target: target, expiry: nil)
        }
        let canonical = CanonicalQuery(query)
        let ground: Admission.Ground
        if try isSigned(canonical, path: target.path) {
            ground = .signed
        } else if !required.contains(dialect) {
            ground = .open
        } else {
            guard allowsPresets, let free = freeGround(of: canonical) else { throw .missing }
            ground = free
        }
        let expiry: Int64?
        do throws(RequestError) {
            expiry = try canonical.expiry()
        } catch {
            throw .invalidExpiry(error)
        }
        if let expiry, now.seconds >= expiry { throw .expired(at: expiry) }
        let read = ground == .signed ? RequestTarget(path: target.path, query: canonical.bytes) : target
        return Admission(ground: ground, target: read, expiry: expiry)
    }

    /// - Returns: false if no signature is given.
    /// - Throws: if the given signature is wrong.
    private func isSigned(_ query: CanonicalQuery, path: String) throws(SignatureFailure) -> Bool {
        guard let signature = query.signatures.first else { return false }
        guard query.signatures.count == 1, let keys, keys.verify(signature, of: query.material(path: path))
        else { throw .wrong }
        return true
    }

    /// Why an unsigned query is admitted; nil unless it has `url` and beside it only a free preset, free options, each once, and
    /// `exp`. Any other option would let anybody make as many renditions as they like, or redirect people elsewhere (`default`).
    private func freeGround(of query: CanonicalQuery) -> Admission.Ground? {
        var given: Set<String> = []
        for parameter in query.parameters {
            let name = String(decoding: parameter.name, as: UTF8.self)
            // Repeated times are refused by `expiry`.
            if name == "exp" { continue }
            guard given.insert(OptionTable.option(named: name)?.name ?? name).inserted else { return nil }
        }
        guard given.remove("url") != nil else { return nil }
        let hasPreset = given.remove("preset") != nil
        if hasPreset {
            guard let preset = query.values(of: "preset").first ?? nil,
                freePresets.contains(String(decoding: preset, as: UTF8.self))
            else { return nil }
            if given.isEmpty { return .freePreset }
        }
        return !freeOptions.isEmpty && given.isSubset(of: freeOptions) ? .freeOptions : nil
    }
}

extension SignatureRule {
    /// The target with this query at `path`, signed with the first key; nil if no key is configured. The caller decides who may have
    /// it.
    package func sign(_ query: CanonicalQuery, path: String) -> String? {
        guard let keys else { return nil }
        let signature = keys.signature(of: query.material(path: path))
        return "\(path)?\(String(decoding: query.bytes, as: UTF8.self))&sig=\(signature)"
    }

    /// A query for a URL of this daemon in the answer to `admission`: signed if the request was signed, and with the same expiry. So
    /// a client without a signature gets no signed URL.
    package func extend(_ query: String, of admission: Admission, path: String) -> String {
        guard admission.ground == .signed, let keys else { return query }
        let ending = admission.expiry.map { "\(query)&exp=\($0)" } ?? query
        let material = CanonicalQuery(ending.utf8).material(path: path)
        return "\(ending)&sig=\(keys.signature(of: material))"
    }
}
