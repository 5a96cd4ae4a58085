// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import SourceURLs

/// How the names of pictures become URLs; from settings.
package struct OperationSources: Sendable {
    /// The site of names without `http://` and `https://`: an absolute URL without a slash at its end. Nil = names begin with a host.
    let base: String?
    /// The scheme of names that begin with a host.
    let scheme: SourceURL.Scheme
    /// How names are written.
    let spelling: Spelling

    /// The spellings of the two services.
    package enum Spelling: Sendable {
        /// Percent-encoded.
        case escapes
        /// Percent-encoded with `+` for a space, or `b64:` and base64url; `color:` is no name.
        case forms
    }

    package init(base: String? = nil, scheme: SourceURL.Scheme, spelling: Spelling) {
        self.base = base
        self.scheme = scheme
        self.spelling = spelling
    }

    /// - Parameter name: the name with its escapes, which are decoded once, as in the services. If that gives no valid UTF-8, the
    ///   escapes stay.
    func url(of name: [UInt8]) throws(OperationRefusal) -> SourceURL { try url(named: decoded(name)) }

    /// True for a name that is a path of the base, and so does not show where the picture is.
    /// - Parameter name: the name with its escapes.
    func isOfBase(_ name: [UInt8]) -> Bool {
        let name = decoded(name)
        return base != nil && Self.url(in: spelling == .forms ? Self.base64(name) ?? name : name) == nil
    }

    private func decoded(_ name: [UInt8]) -> String {
        let bytes = spelling == .forms ? FormText.decode(name) : PercentEscape.decode(lenient: name[...])
        return String(validating: bytes, as: UTF8.self) ?? String(decoding: name, as: UTF8.self)
    }

    /// - Parameter name: the decoded name.
    func url(named name: String) throws(OperationRefusal) -> SourceURL {
        var name = name
        if spelling == .forms {
            if name.lowercased().hasPrefix("color:") {
                throw .unsupported(what: "color:", reason: "Pictor draws no pictures of its own.")
            }
            name = Self.base64(name) ?? name
        }
        guard !name.isEmpty else { throw .noImage }
        // Such a name would be taken for a path of the base.
        if ["http%3a", "https%3a"].contains(where: { name.lowercased().hasPrefix($0) }) {
            throw .source(.escapedTwice)
        }
        do throws(SourceURLError) { return try SourceURL.parse(absolute(name)) } catch {
            throw .source(error)
        }
    }

    /// The text of a name in base64, after which a slash may follow. Nil for other names, and for invalid digits.
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

    /// The URL that the name contains; nil for a name without a scheme.
    private static func url(in name: String) -> String? {
        // A proxy may have merged the slashes of this URL.
        for scheme in ["http:/", "https:/"] where name.prefix(scheme.count).lowercased() == scheme {
            return scheme + "/" + name.dropFirst(scheme.count).drop { $0 == "/" }
        }
        // A scheme that Pictor does not fetch.
        let other = name.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return !other.isEmpty && name[other.endIndex...].hasPrefix("://") ? name : nil
    }
}
