// SPDX-License-Identifier: Apache-2.0

package import Answers
internal import Bytes
internal import Hashing
package import HTTP1
package import HTTPSemantics

/// The fields of clients' requests that some origins are told.
package struct PassedFieldRule: Sendable {
    /// As the settings spell them, each once.
    package let names: [String]
    /// True if what they open is for everybody.
    let isForAll: Bool

    /// Bytes of all of them together: what a browser sends of cookies at least (RFC 6265 §6.1), twice. They are held for as
    /// long as the request waits.
    static let longest = 8_192

    /// The fields of this request that are passed on.
    /// - Parameter token: Pictor's own, which no origin is told.
    /// - Throws: if one of them cannot be sent as it is, or all are too long.
    package func fields(of request: Request, token: AdminToken?) throws(Refusal) -> ClientFields {
        // RFC 9110 §7.6.1: what `Connection` names is for this connection alone.
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

    /// One line for several (RFC 9110 §5.3); those of `Cookie` are no list of commas (RFC 9113 §8.2.3).
    private static func value(of name: String, in fields: Fields) -> String? {
        Fields.same(name, "Cookie")
            ? fields.values(name).filter { !$0.isEmpty }.joined(separator: "; ") : fields.combined(name)
    }

    /// False for a value with control characters, which could begin another line, and for one that was not valid UTF-8 (each bad
    /// byte is U+FFFD by now): two such values could become equal.
    private static func isSendable(_ value: String) -> Bool {
        value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{FFFD}" }
    }

    /// True for schemes that sign a connection in, which is another client's the next time (RFC 4559 §6).
    private static func isOfConnection(_ value: String) -> Bool {
        let scheme = value.prefix { $0 != " " }.lowercased()
        return ["negotiate", "ntlm", "kerberos", "nego2"].contains(scheme)
    }
}

extension PassedFieldRule {
    /// Says of an answer what it depends on, whichever fields were sent, and keeps what is for one client out of shared
    /// caches.
    package func mark(_ fields: inout Fields, for sent: ClientFields) {
        fields.vary(by: names)
        guard sent.isPrivate else { return }
        // All of Pictor's own begin with `public`, `private` or `no-store`.
        if let control = fields["Cache-Control"], control.hasPrefix("public") {
            fields.set("Cache-Control", "private" + control.dropFirst("public".count))
        }
        // A browser sends the client's cookies for a page of any site.
        fields.remove("Timing-Allow-Origin")
        if fields["Cross-Origin-Resource-Policy"] != nil {
            fields.set("Cross-Origin-Resource-Policy", "same-site")
        }
    }
}
