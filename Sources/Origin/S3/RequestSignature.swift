// SPDX-License-Identifier: Apache-2.0
//
//   canonical request ─SHA-256─▶ string to sign ─HMAC─▶ signature
//                                                 ▲
//   secret ─HMAC─ day ─HMAC─ region ─HMAC─ service ─HMAC─ "aws4_request"

internal import Bytes
internal import Hashing
package import HTTPSemantics

/// AWS Signature Version 4 in the `Authorization` field (Amazon S3 API Reference, "Authenticating Requests: Using the
/// Authorization Header").
///
/// Pictor computes it itself, because libcurl 7.88 escapes paths that are escaped already and does not sort the query.
package struct RequestSignature: Sendable {
    private let credentials: StoreCredentials
    private let region: String
    private let service: String

    /// The SHA-256 of no bytes, the body of a GET.
    package static let emptyBody = SHA256.digest(of: []).hex

    /// - Parameter service: the service's name, such as `s3`.
    package init(_ credentials: StoreCredentials, region: String, service: String) {
        self.credentials = credentials
        self.region = region
        self.service = service
    }

    /// A time as `x-amz-date` spells it: `20150830T123600Z`.
    package static func stamp(_ time: Timestamp) -> String {
        let civil = CivilTime(time)
        let date = digits(civil.year * 10_000 + civil.month * 100 + civil.day, 8)
        return "\(date)T\(digits(civil.hour * 10_000 + civil.minute * 100 + civil.second, 6))Z"
    }

    /// The number with zeros in front, up to this many digits.
    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// The value of `Authorization`.
    /// - Parameters:
    ///   - target: the path and query, escaped by RFC 3986 with upper-case digits.
    ///   - fields: the fields to sign, among them `Host` and `x-amz-date`.
    ///   - stamp: the value of `x-amz-date`.
    package func authorization(
        method: String = "GET", target: String, fields: [Fields.Field], stamp: String,
        bodyHash: String = emptyBody
    ) -> String {
        let signed = CanonicalFields(fields)
        let names = signed.names
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let query = end == target.endIndex ? "" : Self.canonicalQuery(target[end...].dropFirst())
        var request = "\(method)\n\(target[..<end])\n\(query)\n"
        request += "\(signed.lines)\n\(names)\n\(bodyHash)"
        let day = String(stamp.prefix(8))
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(SHA256.digest(of: request.utf8).hex)"
        let key = SigningKeys.key(credentials.secretKey, day: day, region: region, service: service)
        let signature = MessageCode.of(Array(text.utf8), key: key).hex
        return
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
    }

    /// Sorts the parameters by name and then by value, byte by byte; a parameter without a value gets an empty one.
    private static func canonicalQuery(_ query: Substring) -> String {
        guard !query.isEmpty else { return "" }
        let pairs = query.split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            return (Array(name.utf8), Array(pair.dropFirst(name.count + 1).utf8))
        }
        let sorted = pairs.sorted { a, b in
            a.0 == b.0 ? a.1.lexicographicallyPrecedes(b.1) : a.0.lexicographicallyPrecedes(b.0)
        }
        return sorted.map { String(decoding: $0.0 + [UInt8(ascii: "=")] + $0.1, as: UTF8.self) }
            .joined(separator: "&")
    }
}
