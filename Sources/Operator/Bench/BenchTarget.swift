// SPDX-License-Identifier: Apache-2.0

/// The host, the port and the target of the requests, taken from an `http` URL.
package struct BenchTarget: Sendable, Hashable {
    /// Why a URL cannot be measured, as a sentence.
    package struct Mistake: Error, CustomStringConvertible { package let description: String }

    /// A host name or an address, without brackets.
    package let host: String
    package let port: UInt16
    /// The authority as the URL spells it, for `Host`.
    package let authority: String
    /// Path and query.
    package let path: String

    /// - Throws: for another scheme, a user in the URL, an invalid port, or characters that a request line cannot have.
    package init(_ url: String) throws(Mistake) {
        guard url.lowercased().hasPrefix("http://") else {
            throw Mistake(description: "The URL must begin with http:// (\(url.prefix(40))).")
        }
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Mistake(description: "The URL has a character that must be escaped with %.")
        }
        let rest = url.dropFirst(7).prefix { $0 != "#" }
        authority = String(rest.prefix { $0 != "/" && $0 != "?" })
        let tail = rest.dropFirst(authority.count)
        path = tail.hasPrefix("/") ? String(tail) : "/\(tail)"
        guard !authority.contains("@") else {
            throw Mistake(description: "A URL with a user or a password is not supported.")
        }
        (host, port) = try Self.parts(authority)
        guard !host.isEmpty else { throw Mistake(description: "The URL names no host.") }
    }

    private static func parts(_ authority: String) throws(Mistake) -> (String, UInt16) {
        let end: String.Index
        let host: Substring
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else {
                throw Mistake(description: "The URL's address has no closing bracket.")
            }
            host = authority[..<bracket].dropFirst()
            end = authority.index(after: bracket)
        } else {
            end = authority.firstIndex(of: ":") ?? authority.endIndex
            host = authority[..<end]
        }
        let port = authority[end...]
        if port.isEmpty { return (String(host), 80) }
        guard port.hasPrefix(":"), let number = UInt16(port.dropFirst()), number > 0 else {
            throw Mistake(description: "The URL's port is not a number from 1 to 65535 (\(port.prefix(20))).")
        }
        return (String(host), number)
    }
}
