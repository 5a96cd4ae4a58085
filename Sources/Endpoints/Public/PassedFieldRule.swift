// SPDX-License-Identifier: Apache-2.0

package import Answers
internal import Bytes
internal import Hashing
package import HTTP1
package import HTTPSemantics

/// The fields of clients' requests that are passed on to some origins.
package struct PassedFieldRule: Sendable {
    /// The field names as the settings spell them, each once.
    package let names: [String]
    /// True if answers to requests with these fields may be given to everybody.
    let isForAll: Bool

    /// The most bytes of all passed fields together: twice what a browser supports at least for cookies (RFC 6265 §6.1). They are
    /// held while the request waits.
    static let longest = 8_192

    /// The fields of this request that are passed on.
    /// - Parameter token: Pictor's own token, which no origin gets.
    /// - Throws: if a field cannot be sent unchanged, or the fields are too long together.
    package func fields(of request: Request, token: AdminToken?) throws(Refusal) -> ClientFields {
        // RFC 9110 §7.6.1: fields that `Connection` names are for this connection alone.
        let nominated = request.fields.tokens("Connection")
        var (found, size): ([Fields.Field], Int) = ([], 0)
        for name in names where !nominated.contains(name.lowercased()) {
            guard let value = Self.value(of: name, in: request.fields), !value.isEmpty else { continue }
            var isGood = Self.isSendable(value)
            if Fields.same(name, "Authorization") {
                let values = request.fields.values(name)
                if values.contains(where: { token?.isCarried(in: $0) == true }) { continue }
                isGood = isGood && values.count == 1 && !Self.isOfConnection(value)
            }
            guard isGood else {
                throw Refusal(
                    ErrorResponse(.badClientField, "The field \(name) cannot be passed on to the origin."))
            }
            size += name.utf8.count + value.utf8.count
            found.append(Fields.Field(name, value))
        }
        guard size <= Self.longest else {
            throw Refusal(
                ErrorResponse(
                    .clientFieldsTooLarge,
                    "The fields \(names.joined(separator: ", ")) may have \(Self.longest) bytes."))
        }
        return ClientFields(found, isForAll: isForAll) { SHA256.digest(of: $0).hex }
    }

    /// Several lines joined into one (RFC 9110 §5.3). Lines of `Cookie` are joined by semicolons, because they are no lists (RFC 9113
    /// §8.2.3).
    private static func value(of name: String, in fields: Fields) -> String? {
        Fields.same(name, "Cookie")
            ? fields.values(name).filter { !$0.isEmpty }.joined(separator: "; ") : fields.combined(name)
    }

    /// False for a value with control characters, which could begin another line, and for a value that was not valid UTF-8: each bad
    /// byte has become U+FFFD, so two different values could become equal.
    private static func isSendable(_ value: String) -> Bool {
        value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{FFFD}" }
    }

    /// True for schemes that authenticate a connection, which Pictor may use for another client next (RFC 4559 §6).
    private static func isOfConnection(_ value: String) -> Bool {
        let scheme = value.prefix { $0 != " " }.lowercased()
        return ["negotiate", "ntlm", "kerberos", "nego2"].contains(scheme)
    }
}

extension PassedFieldRule {
    /// Adds the passed fields to an answer's `Vary`, whichever of them were sent, and keeps an answer for one client out of shared
    /// caches.
    package func mark(_ fields: inout Fields, for sent: ClientFields) {
        fields.vary(by: names)
        guard sent.isPrivate else { return }
        // Every `Cache-Control` that Pictor writes begins with `public`, `private` or `no-store`.
        if let control = fields["Cache-Control"], control.hasPrefix("public") {
            fields.set("Cache-Control", "private" + control.dropFirst("public".count))
        }
        // A browser sends the client's cookies for pages of any site.
        fields.remove("Timing-Allow-Origin")
        if fields["Cross-Origin-Resource-Policy"] != nil {
            fields.set("Cross-Origin-Resource-Policy", "same-site")
        }
    }
}
