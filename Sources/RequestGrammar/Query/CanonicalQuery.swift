// SPDX-License-Identifier: Apache-2.0
//
// The form of a query that signatures are made over:
//
//   1. Cut the query at each `&`; drop empty pieces; a piece's first `=` ends its name.
//   2. Percent-decode names and values once. `+` is a plus; a `%` that begins no escape stands for itself.
//   3. Drop the parameters that are called `sig`.
//   4. Write every byte but A–Z a–z 0–9 - . _ ~ (unreserved, RFC 3986 §2.3) as % and two upper-case digits.
//   5. Sort by name, byte by byte; parameters of one name keep their order.
// 6. Join them with `&` again, a parameter without `=` without one, and put the endpoint's path and `?` before them.
//
//     /img?w=200&url=https%3a//host/a+b.jpg&sig=…   →   /img?url=https%3A%2F%2Fhost%2Fa%2Bb.jpg&w=200
//
// A normal form is signed instead of the bytes as sent, because proxies, frameworks and browsers reorder and re-escape queries. A
// client that signs writes `urlencode(key) = urlencode(value)` and sorts. It need not know the options, their synonyms or their
// defaults.
//
// The form is safe because **what was signed is what is read**: after a signature was verified, the endpoint gets this form instead
// of the query as sent. So two requests with the same form cannot mean different things, whatever the endpoint makes of repeated
// names, synonyms in another order, empty values or control characters. The path in the form prevents that one endpoint's signature
// is valid at another.

internal import Bytes

/// A query in the canonical form that is signed.
package struct CanonicalQuery: Sendable, Hashable {
    /// A name and a value in the escaped form that is signed.
    package struct Parameter: Sendable, Hashable {
        /// The escaped name.
        package let name: [UInt8]
        /// The escaped value; nil if there is no `=`.
        package let value: [UInt8]?

        fileprivate var bytes: [UInt8] { value.map { name + [UInt8(ascii: "=")] + $0 } ?? name }
    }

    /// The parameters in canonical order, without `sig`.
    package let parameters: [Parameter]
    /// The decoded values of `sig`; a valid query has at most one.
    package let signatures: [[UInt8]]

    /// Takes a query as a client sent it, without the question mark; never fails.
    package init(_ query: some Collection<UInt8>) {
        var parameters: [(name: [UInt8], value: [UInt8]?)] = []
        for piece in Array(query).split(separator: UInt8(ascii: "&")) {
            let rawName = piece.prefix { $0 != UInt8(ascii: "=") }
            let name = PercentEscape.decode(lenient: rawName)
            let hasValue = rawName.endIndex < piece.endIndex
            let rawValue = piece[rawName.endIndex...].dropFirst()
            parameters.append((name, hasValue ? PercentEscape.decode(lenient: rawValue) : nil))
        }
        self.init(decoded: parameters)
    }

    /// Takes parameters that are not escaped yet.
    package init(_ parameters: [(name: String, value: String?)]) {
        self.init(decoded: parameters.map { (Array($0.name.utf8), $0.value.map { Array($0.utf8) }) })
    }

    private init(decoded: [(name: [UInt8], value: [UInt8]?)]) {
        let isSignature = { (name: [UInt8]) in name.elementsEqual("sig".utf8) }
        signatures = decoded.filter { isSignature($0.name) }.map { $0.value ?? [] }
        let others = decoded.filter { !isSignature($0.name) }.map {
            Parameter(
                name: PercentEscape.encode($0.name[...]),
                value: $0.value.map { PercentEscape.encode($0[...]) })
        }
        parameters = others.enumerated().sorted { a, b in
            a.element.name == b.element.name
                ? a.offset < b.offset : a.element.name.lexicographicallyPrecedes(b.element.name)
        }.map(\.element)
    }

    /// The canonical query, without a question mark.
    package var bytes: [UInt8] { Array(parameters.map(\.bytes).joined(separator: "&".utf8)) }

    /// The bytes that are signed.
    package func material(path: String) -> [UInt8] { Array("\(path)?".utf8) + bytes }

    /// The values of the parameters of this name, still escaped.
    package func values(of name: String) -> [[UInt8]?] {
        parameters.filter { $0.name.elementsEqual(name.utf8) }.map(\.value)
    }
}

extension CanonicalQuery {
    /// `exp`: the unix time in seconds from which on the URL is no longer valid; nil if it is not given. Read here for every
    /// endpoint, so that no endpoint reads another time from it than was signed.
    package func expiry() throws(RequestError) -> Int64? {
        let values = values(of: "exp")
        guard let value = values.first else { return nil }
        guard values.count == 1 else { throw .duplicate(parameter: "exp") }
        guard let digits = value, (1...Self.longestTime).contains(digits.count),
            digits.allSatisfy(\.isASCIIDigit), let seconds = Int64(String(decoding: digits, as: UTF8.self))
        else { throw .invalidValue(parameter: "exp", allowed: Self.times) }
        return seconds
    }

    /// The most digits of a time. A count of milliseconds, given by mistake, has one more.
    private static let longestTime = 12
    static let times = "unix time in seconds, 1…\(longestTime) digits"
}
