// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import RequestGrammar

/// Why a URL is not answered.
package enum SignatureFailure: Error, Sendable, Hashable {
    case missing
    /// By no key that is known, over something else, given twice, or given where there is no key at all.
    case wrong
    /// Since this unix time.
    case expired(at: Int64)
    case invalidExpiry(RequestError)
}

/// What the settings say of signatures, and the judgement of a request by it.
///
/// Where no signature is required, one that is given has to be right all the same: so mistakes show before they are
/// made compulsory. `exp` holds with and without a signature.
package struct SignatureRule: Sendable {
    package let keys: SignatureKeys?
    package let required: Set<Dialect>
    package let freePresets: Set<String>

    /// Whoever has keys means them for something: the endpoints that answer without them. Nil: there is nothing
    /// to say.
    package var remark: String? {
        let open = Dialect.allCases.filter { !required.contains($0) }
        guard keys != nil, !open.isEmpty else { return nil }
        let dialects = open.map { "\($0.rawValue) (\($0.path))" }.joined(separator: ", ")
        return "signatures.required leaves endpoints open to unsigned URLs: \(dialects); all would close them"
    }

    /// Let in, and how.
    package struct Admission: Sendable {
        package enum Ground: String, Sendable {
            /// A signature by one of the keys.
            case signed
            /// Its preset needs none.
            case freePreset
            /// Its endpoint needs none.
            case open
        }

        package let ground: Ground
        /// What the endpoint is to read: of a signed URL what was signed, and not what was sent.
        package let query: [UInt8]
        /// Unix time in seconds.
        package let expiry: Int64?
    }

    package func admit(_ query: [UInt8], at dialect: Dialect, now: Timestamp) throws(SignatureFailure)
        -> Admission
    {
        guard required.contains(dialect) || QueryParameters.mayHold(["sig", "exp"], in: query) else {
            return Admission(ground: .open, query: query, expiry: nil)
        }
        let canonical = CanonicalQuery(query)
        let ground = try ground(of: canonical, at: dialect)
        let expiry: Int64?
        do throws(RequestError) {
            expiry = try canonical.expiry()
        } catch {
            throw .invalidExpiry(error)
        }
        if let expiry, now.seconds >= expiry { throw .expired(at: expiry) }
        return Admission(
            ground: ground, query: ground == .signed ? canonical.bytes : query, expiry: expiry)
    }

    private func ground(
        of query: CanonicalQuery, at dialect: Dialect
    ) throws(SignatureFailure) -> Admission.Ground {
        if let signature = query.signatures.first {
            guard query.signatures.count == 1, let keys,
                keys.verify(signature, of: query.material(path: dialect.path))
            else { throw .wrong }
            return .signed
        }
        guard required.contains(dialect) else { return .open }
        guard dialect == .native, isFree(query) else { throw .missing }
        return .freePreset
    }

    /// `url` and `preset`, each once, and nothing else but `exp`: every other option would let anybody make as many
    /// renditions as they like, or send people elsewhere (`default`).
    private func isFree(_ query: CanonicalQuery) -> Bool {
        let names = query.parameters.map { String(decoding: $0.name, as: UTF8.self) }.filter { $0 != "exp" }
        guard names == ["preset", "url"], let preset = query.values(of: "preset").first ?? nil else {
            return false
        }
        return freePresets.contains(String(decoding: preset, as: UTF8.self))
    }
}

extension SignatureRule {
    /// A query for a URL of ours that an answer to `admission` holds: signed where the request was, and to end with it.
    /// So nobody comes by a signature who had none.
    package func extend(_ query: String, of admission: Admission, at dialect: Dialect) -> String {
        guard admission.ground == .signed, let keys else { return query }
        let ending = admission.expiry.map { "\(query)&exp=\($0)" } ?? query
        let material = CanonicalQuery(ending.utf8).material(path: dialect.path)
        return "\(ending)&sig=\(keys.signature(of: material))"
    }
}
