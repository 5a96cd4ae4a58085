// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import RequestGrammar

/// The reason why a URL is not answered.
package enum SignatureFailure: Error, Sendable, Hashable {
    case missing
    /// A signature by no key that is known, over something else, given twice, or given where there is no key at all.
    case wrong
    /// Since this unix time.
    case expired(at: Int64)
    case invalidExpiry(RequestError)
}

/// The settings of signatures, and the judgement of a request by them.
///
/// Where no signature is required, one that is given has to be right all the same: so mistakes show before they are
/// made compulsory. `exp` holds with and without a signature.
package struct SignatureRule: Sendable {
    /// Nil where no key is configured; then every signature is wrong.
    package let keys: SignatureKeys?
    /// Dialects whose URLs need a signature.
    package let required: Set<DialectName>
    /// Names of presets that stand in place of a signature.
    package let freePresets: Set<String>
    /// Names of options that an unsigned URL may have beside its source; empty where it may have none but a free preset.
    package var freeOptions: Set<String> = []

    /// Let in, and how.
    package struct Admission: Sendable {
        /// The reason why a request is let in.
        package enum Ground: String, Sendable {
            /// A signature by one of the keys.
            case signed
            /// The request's preset needs no signature.
            case freePreset
            /// Its options need none.
            case freeOptions
            /// Its endpoint needs none.
            case open
        }

        /// Decides where a fallback may lead, and whether own URLs in the answer are signed.
        package let ground: Ground
        /// The target that the dialect reads: of a signed URL the signed form, not the one that was sent.
        package let target: RequestTarget
        /// Unix time in seconds.
        package let expiry: Int64?

        /// Takes the parts, of a URL that its dialect has judged.
        package init(ground: Ground, target: RequestTarget, expiry: Int64?) {
            (self.ground, self.target, self.expiry) = (ground, target, expiry)
        }
    }

    /// Judges a URL whose signature is in its query, over its path and the canonical form of the rest.
    ///
    /// - Parameter allowsPresets: a free preset may stand in place of a signature.
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

    /// Throws if a signature is given and is wrong. Returns false if none is given.
    private func isSigned(_ query: CanonicalQuery, path: String) throws(SignatureFailure) -> Bool {
        guard let signature = query.signatures.first else { return false }
        guard query.signatures.count == 1, let keys, keys.verify(signature, of: query.material(path: path))
        else { throw .wrong }
        return true
    }

    /// Nil unless there are `url`, a free preset and free options, each once, and nothing else but `exp`: every other option
    /// would let anybody make as many renditions as they like, or send people elsewhere (`default`).
    private func freeGround(of query: CanonicalQuery) -> Admission.Ground? {
        var given: Set<String> = []
        for parameter in query.parameters {
            let name = String(decoding: parameter.name, as: UTF8.self)
            // Two of them are a mistake of another kind.
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
    /// The target of a query at `path`, signed by the first key; nil where no key is configured. Who may have it is the
    /// caller's to judge.
    package func sign(_ query: CanonicalQuery, path: String) -> String? {
        guard let keys else { return nil }
        let signature = keys.signature(of: query.material(path: path))
        return "\(path)?\(String(decoding: query.bytes, as: UTF8.self))&sig=\(signature)"
    }

    /// A query for a URL of ours that an answer to `admission` holds: signed where the request was, and to end with it.
    /// So a client without a signature gets none.
    package func extend(_ query: String, of admission: Admission, path: String) -> String {
        guard admission.ground == .signed, let keys else { return query }
        let ending = admission.expiry.map { "\(query)&exp=\($0)" } ?? query
        let material = CanonicalQuery(ending.utf8).material(path: path)
        return "\(ending)&sig=\(keys.signature(of: material))"
    }
}
