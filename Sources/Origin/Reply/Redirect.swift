// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// The target of a redirect (RFC 9110 §10.2.2).
package enum Redirect {
    /// True for the redirects that a GET follows, which it treats alike; 300 and 304 to 306 are not among them.
    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Resolves `location` against `base` and normalises it, without its fragment, with the parser of source URLs. The result's
    /// key lacks the parameters that the target's profile leaves out of keys.
    /// - Throws: why the target must not be fetched.
    package static func target(
        _ location: String, from base: SourceURL, _ configuration: OriginConfiguration
    ) throws(SourceRefusal) -> SourceURL {
        let target = configuration.keyed(try resolved(location, base))
        let isDowngrade = base.scheme == .https && target.scheme == .http
        if isDowngrade && !configuration.allowsDowngrade { throw .downgrade }
        if let refusal = configuration.policy.refusal(of: target) { throw refusal }
        return target
    }

    private static func resolved(_ location: String, _ base: SourceURL) throws(SourceRefusal) -> SourceURL {
        do throws(SourceURLError) {
            return try SourceURL.parse(try absolute(location, base))
        } catch .unsupportedScheme {
            throw .scheme
        } catch .userInformation {
            throw .userInformation
        } catch {
            throw .malformed
        }
    }

    /// RFC 3986 §5.2.2, except for dot segments, which the parser removes.
    private static func absolute(_ reference: String, _ base: SourceURL) throws(SourceURLError) -> String {
        if let scheme = scheme(of: reference) {
            guard SourceURL.Scheme(rawValue: scheme)?.isWeb == true else { throw .unsupportedScheme }
            return reference
        }
        let reference = reference.prefix { $0 != "#" }
        if reference.hasPrefix("//") { return "\(base.scheme.rawValue):\(reference)" }
        let root = String(base.absolute.dropLast(base.target.count))
        if reference.hasPrefix("/") { return root + reference }
        if reference.isEmpty { return base.sent.absolute }
        let path = base.target.prefix { $0 != "?" }
        if reference.hasPrefix("?") { return root + path + reference }
        return root + path[...(path.lastIndex(of: "/") ?? path.startIndex)] + reference
    }

    /// The scheme by RFC 3986 §3.1, in lower case; nil without one. A reference never begins with a bare
    /// host, so any text before a colon in its first segment is a scheme.
    private static func scheme(of reference: String) -> String? {
        let name = reference.prefix { !":/?#".contains($0) }
        return name.endIndex < reference.endIndex && reference[name.endIndex] == ":" ? name.lowercased() : nil
    }
}
