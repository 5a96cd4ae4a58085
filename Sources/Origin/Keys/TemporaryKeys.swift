// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import HTTPSemantics
internal import JSON

/// Temporary keys from a source.
package struct TemporaryKeys: Sendable, Hashable {
    /// The credentials that sign requests.
    package var credentials: StoreCredentials
    /// When the keys expire; nil if the source does not say.
    package var end: Timestamp?

    /// The most bytes of one part; a session token has about 1,000.
    private static let longest = 16 << 10
    /// The last second of the year 9999.
    private static let latest: Int64 = 253_402_300_799

    /// Nil if a part cannot be used in a request.
    init?(access: String, secret: String, token: String, end: String?) {
        let parts = [access, secret, token]
        guard !access.isEmpty, !secret.isEmpty,
            parts.allSatisfy({
                $0.utf8.count <= Self.longest && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            })
        else { return nil }
        credentials = StoreCredentials(accessKey: access, secretKey: secret, sessionToken: token)
        self.end = end.flatMap(Self.time)
    }

    /// Reads the JSON document of an agent or of the metadata service:
    /// `{"AccessKeyId":…,"SecretAccessKey":…,"Token":…,"Expiration":…}`.
    init?(document: [UInt8]) {
        struct Document: Decodable {
            var AccessKeyId: String
            var SecretAccessKey: String
            var Token: String?
            var Expiration: String?
        }
        guard let found = UntrustedJSON.read(Document.self, from: document) else { return nil }
        self.init(
            access: found.AccessKeyId, secret: found.SecretAccessKey, token: found.Token ?? "",
            end: found.Expiration)
    }

    /// Reads the answer of a token service: `<AccessKeyId>`, `<SecretAccessKey>`, `<SessionToken>`, `<Expiration>`.
    ///
    /// This is not an XML parser, because the parts need no escapes. An answer whose parts are not plain text, or that ends within a
    /// part, gives no keys: with the beginning of a token, the store would refuse every request until the next keys.
    init?(xml: [UInt8]) {
        let text = String(decoding: xml, as: UTF8.self)
        func element(_ name: String) -> String? {
            guard let start = text.firstRange(of: "<\(name)>") else { return nil }
            let content = text[start.upperBound...].prefix { $0 != "<" && $0 != "&" }
            return text[content.endIndex...].hasPrefix("</\(name)>") ? String(content) : nil
        }
        guard let access = element("AccessKeyId"), let secret = element("SecretAccessKey"),
            let token = element("SessionToken")
        else { return nil }
        self.init(access: access, secret: secret, token: token, end: element("Expiration"))
    }

    /// A time by RFC 3339, such as `2026-11-25T18:00:00Z`, with or without fractions of a second.
    private static func time(_ text: String) -> Timestamp? {
        let whole = Date.ISO8601FormatStyle()
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = (try? whole.parse(text)) ?? (try? fractional.parse(text)),
            let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)),
            (0...Self.latest).contains(seconds)
        else { return nil }
        return Timestamp(seconds: seconds)
    }
}
