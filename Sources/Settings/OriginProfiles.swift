// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import HTTPCaching
package import HTTPSemantics
internal import Yams

/// Settings for single origins: a mapping of names to profiles. It is in a file of its own, because it contains secrets.
package struct OriginProfiles: Sendable, Equatable {
    /// One profile, as the file has it.
    package struct Profile: Sendable, Equatable {
        /// The profile's name, for people.
        package var name: String
        /// Hosts and URL prefixes to which the profile applies; never empty.
        package var match: [String] = []
        /// Fields that are added to each request.
        package var headers: [Fields.Field] = []
        /// The user and password (RFC 7617), as `user:password`; empty for none.
        package var basic = ""
        /// A bearer token (RFC 6750); empty for none.
        package var bearer = ""
        /// The path of a PEM file with Pictor's client certificate.
        package var certificate = ""
        /// The path of a PEM file with the certificate's key; empty if the certificate's file contains it.
        package var key = ""
        /// Paths of PEM files with certificate authorities. Only these are trusted for the profile's origins.
        package var authorities: [String] = []
        /// The proxy for these origins, or `none`; empty for the usual one.
        package var proxy = ""
        /// The user and password for that proxy, as `user:password`.
        package var proxyCredentials = ""
        /// True if answers may be stored for everybody even if the request had credentials or a client's fields.
        package var isPublic = false
        /// Names of client fields that are passed on to the origin; each once, as the file spells them.
        package var passed: [String] = []
        /// Query parameters that do not change the original and are dropped: names, of which a `*` at the end stands for any
        /// ending.
        package var dropped: [String] = []
        /// Query parameters that grant access to an original but do not identify it, so they are left out of its key; written
        /// like `dropped`.
        package var unkeyed: [String] = []
        /// True if a cookie that a redirect sets is sent back to its origin within the same fetch.
        package var keepsCookies = false
        /// Replaces the `Cache-Control` of the origin's answers; nil to use the origin's own.
        package var rule: CacheControlRule?

        /// True if Pictor authenticates itself to the origin.
        package var isKnown: Bool {
            !headers.isEmpty || !basic.isEmpty || !bearer.isEmpty || !certificate.isEmpty
        }

        /// True if the profile sets lifetimes and nothing else.
        package var isOfLifetimesAlone: Bool {
            var other = Self(name: name)
            (other.match, other.rule) = (match, rule)
            return self == other
        }
    }

    /// The profiles in the order of the file. The first that matches applies.
    package var list: [Profile] = []

    package init() {}

    /// - Throws: all mistakes in the text, with their lines.
    package init(_ text: String, path: String) throws(UnusableSetting) {
        let root: Node?
        do { root = try Yams.compose(yaml: text) } catch {
            throw UnusableSetting(description: YAMLMistake.sentence(error, in: text, path: path))
        }
        guard let root, root.null == nil else { return }
        guard let entries = root.mapping else {
            throw UnusableSetting(description: "\(path): must be a mapping of names to profiles")
        }
        var mistakes: [String] = []
        for (name, body) in entries {
            var reading = ProfileReading(path: path, name: name.scalar?.string ?? "?")
            reading.read(body, line: name.mark?.line ?? 0)
            mistakes += reading.mistakes
            list.append(reading.profile)
        }
        guard mistakes.isEmpty else { throw UnusableSetting(mistakes) }
    }
}

extension Settings {
    /// The profiles in the file `origin.profiles` or in the service manager's credential; empty without such a file.
    /// - Throws: if the file cannot be read, or contains a mistake.
    package var originProfiles: OriginProfiles {
        get throws(UnusableSetting) {
            guard let path = origin.profiles.isEmpty ? Self.credential("origin-profiles") : origin.profiles
            else {
                return OriginProfiles()
            }
            let text: String
            do {
                text = try String(smallFile: path)
            } catch {
                throw UnusableSetting(description: "origin.profiles: \(path): \(error.fileReason)")
            }
            return try OriginProfiles(text, path: path)
        }
    }
}
