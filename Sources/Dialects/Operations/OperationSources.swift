// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import SourceURLs

/// How the names of pictures become URLs: a setting.
package struct OperationSources: Sendable {
    /// Where names without `http://` and `https://` are fetched from: an absolute URL without a slash at its end. Nil =
    /// they begin with a host.
    let base: String?
    /// The scheme of names that begin with a host.
    let scheme: SourceURL.Scheme
    /// How names are written.
    let spelling: Spelling

    /// The two services'.
    package enum Spelling: Sendable {
        /// Percent-encoded.
        case escapes
        /// The same with + for a blank, or `b64:` and base64url; `color:` is no name.
        case forms
    }

    package init(base: String? = nil, scheme: SourceURL.Scheme, spelling: Spelling) {
        self.base = base
        self.scheme = scheme
        self.spelling = spelling
    }

    /// - Parameter name: with its escapes, which are decoded once, as there. What is no UTF-8 then keeps them.
    func url(of name: [UInt8]) throws(OperationRefusal) -> SourceURL { try url(named: decoded(name)) }

    /// True for a name that is a path of the base, and so does not show where the picture lies.
    /// - Parameter name: as above.
    func isOfBase(_ name: [UInt8]) -> Bool {
        let name = decoded(name)
        return base != nil && Self.url(in: spelling == .forms ? Self.base64(name) ?? name : name) == nil
    }

    private func decoded(_ name: [UInt8]) -> String {
        let bytes = spelling == .forms ? FormText.decode(name) : PercentEscape.decode(lenient: name[...])
        return String(validating: bytes, as: UTF8.self) ?? String(decoding: name, as: UTF8.self)
    }

    /// - Parameter name: decoded.
    func url(named name: String) throws(OperationRefusal) -> SourceURL {
        var name = name
        if spelling == .forms {
            if name.lowercased().hasPrefix("color:") {
                throw .unsupported(what: "color:", reason: "Pictor draws no pictures of its own.")
            }
            name = Self.base64(name) ?? name
        }
        guard !name.isEmpty else { throw .noImage }
        // Such a name would be a path of the base.
        if ["http%3a", "https%3a"].contains(where: { name.lowercased().hasPrefix($0) }) {
            throw .source(.escapedTwice)
        }
        do throws(SourceURLError) { return try SourceURL.parse(absolute(name)) } catch {
            throw .source(error)
        }
    }

    /// A slash may stand behind it. Nil for a name of another form, or whose digits are none.
    private static func base64(_ name: String) -> String? {
        guard name.hasPrefix("b64:") else { return nil }
        let digits = name.hasSuffix("/") ? name.dropFirst(4).dropLast() : name.dropFirst(4)
        return Base64URL.decode(digits).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private func absolute(_ name: String) -> String {
        if let url = Self.url(in: name) { return url }
        let path = name.drop { $0 == "/" }
        return base.map { "\($0)/\(path)" } ?? "\(scheme.rawValue)://\(path)"
    }

    /// The URL that the name is; nil for one without a scheme.
    private static func url(in name: String) -> String? {
        // A proxy may have merged the slashes.
        for scheme in ["http:/", "https:/"] where name.prefix(scheme.count).lowercased() == scheme {
            return scheme + "/" + name.dropFirst(scheme.count).drop { $0 == "/" }
        }
        // One that Pictor does not fetch by.
        let other = name.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return !other.isEmpty && name[other.endIndex...].hasPrefix("://") ? name : nil
    }
}
