// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import HTTPCaching
package import HTTPSemantics
internal import Yams

/// Settings for some origins alone: a mapping of names to profiles, in a file of its own, because it holds secrets.
package struct OriginProfiles: Sendable, Equatable {
    /// One entry, as it was written.
    package struct Profile: Sendable, Equatable {
        /// For people.
        package var name: String
        /// Hosts and beginnings of URLs; never empty.
        package var match: [String] = []
        /// Fields of each request.
        package var headers: [Fields.Field] = []
        /// user:password (RFC 7617).
        package var basic = ""
        /// A token (RFC 6750).
        package var bearer = ""
        /// Path of a PEM file with the certificate that Pictor shows.
        package var certificate = ""
        /// Path of a PEM file with its key; empty where the certificate's file holds it.
        package var key = ""
        /// Paths of PEM files with the authorities that vouch for these origins, and no others.
        package var authorities: [String] = []
        /// A proxy for them, or `none`; empty for the usual one.
        package var proxy = ""
        /// user:password for that proxy.
        package var proxyCredentials = ""
        /// True if what needs credentials, or was asked for with a client's fields, is for everybody all the same.
        package var isPublic = false
        /// Names of fields of clients' requests that the origin is told; each once, as they were written.
        package var passed: [String] = []
        /// Parameters of the query that make no difference: names, `*` at the end for any end.
        package var dropped: [String] = []
        /// Parameters that open an original and do not tell which one it is, in the same form.
        package var unkeyed: [String] = []
        /// True if cookies that a redirect sets are sent to its origin again, within one fetch.
        package var keepsCookies = false
        /// In place of what the origin says of keeping its answers; nil for its own words.
        package var rule: CacheControlRule?

        /// True if Pictor shows the origin who it is.
        package var isKnown: Bool {
            !headers.isEmpty || !basic.isEmpty || !bearer.isEmpty || !certificate.isEmpty
        }

        /// True if it says for how long answers are kept, and nothing else.
        package var isOfLifetimesAlone: Bool {
            var other = Self(name: name)
            (other.match, other.rule) = (match, rule)
            return self == other
        }
    }

    /// In the order of the file; the first that matches counts.
    package var list: [Profile] = []

    /// No profile.
    package init() {}

    /// - Throws: each mistake of the text, with its line.
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

/// The members of one profile. Values are never part of a mistake's words, because they may be secrets.
private struct ProfileReading {
    let path: String
    var profile: OriginProfiles.Profile
    var mistakes: [String] = []

    init(path: String, name: String) {
        self.path = path
        profile = OriginProfiles.Profile(name: name)
    }

    private enum Member: String, CaseIterable {
        case match, headers, basic, bearer, certificate, key, authorities, proxy
        case proxyCredentials = "proxy-credentials"
        case isPublic = "public"
        case pass, drop, unkeyed
        case cacheControl = "cache-control"
        case defaultCacheControl = "default-cache-control"
        case cookies
    }

    mutating func read(_ body: Node, line: Int) {
        guard let members = body.mapping else { return fail(line, "must be a mapping") }
        for (name, value) in members { read(name.scalar?.string ?? "?", value, name.mark?.line ?? line) }
        if profile.match.isEmpty { fail(line, "names no host or URL in match") }
        if !profile.basic.isEmpty, !profile.bearer.isEmpty { fail(line, "has both basic and bearer") }
        if !(profile.basic.isEmpty && profile.bearer.isEmpty),
            profile.headers.contains(where: { Fields.same($0.name, "Authorization") })
        {
            fail(line, "has basic or bearer beside an Authorization of headers")
        }
        if profile.certificate.isEmpty, !profile.key.isEmpty { fail(line, "has a key without a certificate") }
        if profile.proxy.isEmpty || profile.proxy == "none", !profile.proxyCredentials.isEmpty {
            fail(line, "has proxy-credentials without a proxy")
        }
        let cookies = profile.headers.map(\.name) + profile.passed
        if profile.keepsCookies, cookies.contains(where: { Fields.same($0, "Cookie") }) {
            fail(line, "keeps cookies beside a Cookie of headers or pass")
        }
        for name in profile.passed where setsItself(name) {
            fail(line, "passes \(name), which it sets itself")
        }
    }

    /// True for a field of its own, which would stand in place of the client's.
    private func setsItself(_ name: String) -> Bool {
        profile.headers.contains { Fields.same($0.name, name) }
            || Fields.same(name, "Authorization") && !(profile.basic.isEmpty && profile.bearer.isEmpty)
    }

    private mutating func read(_ name: String, _ value: Node, _ line: Int) {
        switch Member(rawValue: name) {
        case .match: profile.match = list(value, name, line)
        case .authorities: profile.authorities = list(value, name, line)
        case .drop: profile.dropped = list(value, name, line)
        case .unkeyed: readUnkeyed(value, line)
        case .headers: readHeaders(value, line)
        case .pass: readPassed(value, line)
        case .cacheControl: readRule(value, name, line, isDefault: false)
        case .defaultCacheControl: readRule(value, name, line, isDefault: true)
        case .isPublic: profile.isPublic = flag(value, name, line)
        case .cookies: profile.keepsCookies = flag(value, name, line)
        case .basic: profile.basic = credentials(value, name, line)
        case .proxyCredentials: profile.proxyCredentials = credentials(value, name, line)
        case .bearer:
            profile.bearer = text(value, name, line)
            if ServiceSecret(settingText: profile.bearer) == nil {
                fail(line, "bearer must be \(ServiceSecret.settingForm)")
            }
        case .certificate: profile.certificate = text(value, name, line)
        case .key: profile.key = text(value, name, line)
        case .proxy: profile.proxy = text(value, name, line)
        case nil:
            let names = Member.allCases.map(\.rawValue).joined(separator: ", ")
            fail(line, "has no member \(name), but \(names)")
        }
    }

    private mutating func readHeaders(_ value: Node, _ line: Int) {
        guard let pairs = value.mapping else {
            return fail(line, "headers must be a mapping of names to values")
        }
        for (name, value) in pairs {
            let line = name.mark?.line ?? line
            let (name, value) = (name.scalar?.string ?? "", value.scalar?.string ?? "")
            guard FieldCredentials(settingText: "\(name): \(value)") != nil else {
                fail(line, "headers must be names and values of fields (RFC 9110 §5)")
                continue
            }
            if FieldNames.areOurs(name) {
                fail(line, "headers may not set \(name), which Pictor sets itself")
            }
            profile.headers.append(Fields.Field(name, value))
        }
    }

    private mutating func readPassed(_ value: Node, _ line: Int) {
        for name in list(value, "pass", line) {
            // A star is a letter of names (RFC 9110 §5.6.2), and is meant as something else.
            guard FieldCredentials(settingText: "\(name): a") != nil, !name.contains("*") else {
                fail(line, "pass must be names of fields (RFC 9110 §5.1), each in full")
                continue
            }
            if FieldNames.areOurs(name) || FieldNames.areOfThisHop(name) {
                fail(line, "pass may not hold \(name), which is for Pictor alone")
            }
            if !profile.passed.contains(where: { Fields.same($0, name) }) { profile.passed.append(name) }
        }
    }

    private mutating func readUnkeyed(_ value: Node, _ line: Int) {
        profile.unkeyed = list(value, "unkeyed", line)
        for name in profile.unkeyed {
            // A star alone would make one original of all queries.
            let isName = name != "*" && !name.dropLast().contains("*")
            guard isName, !name.contains(where: { "=&?#".contains($0) }) else {
                return fail(line, "unkeyed must be names of parameters, each with * at the end for any end")
            }
        }
    }

    private mutating func readRule(_ value: Node, _ member: String, _ line: Int, isDefault: Bool) {
        let text = text(value, member, line)
        guard !text.isEmpty else { return }
        guard let rule = CacheControlRule(text, isDefault: isDefault) else {
            return fail(line, "\(member) must be \(CacheControlRule.form)")
        }
        if profile.rule != nil { fail(line, "has both cache-control and default-cache-control") }
        profile.rule = rule
    }

    private mutating func flag(_ value: Node, _ member: String, _ line: Int) -> Bool {
        guard let flag = value.scalar.flatMap({ Bool(settingText: $0.string) }) else {
            fail(line, "\(member) must be true or false")
            return false
        }
        return flag
    }

    private mutating func credentials(_ value: Node, _ member: String, _ line: Int) -> String {
        let text = text(value, member, line)
        if ProxyCredentials(settingText: text) == nil {
            fail(line, "\(member) must be \(ProxyCredentials.settingForm)")
        }
        return text
    }

    private mutating func text(_ value: Node, _ member: String, _ line: Int) -> String {
        guard let text = value.scalar?.string, !text.isEmpty else {
            fail(line, "\(member) must be a text")
            return ""
        }
        return text
    }

    private mutating func list(_ value: Node, _ member: String, _ line: Int) -> [String] {
        if let text = value.scalar?.string, !text.isEmpty { return [text] }
        let texts = value.sequence?.compactMap { $0.scalar?.string }.filter { !$0.isEmpty } ?? []
        guard let count = value.sequence?.count, count == texts.count, count > 0 else {
            fail(line, "\(member) must be a list of texts")
            return []
        }
        return texts
    }

    private mutating func fail(_ line: Int, _ words: String) {
        mistakes.append("\(path):\(line): \(profile.name) \(words)")
    }
}

extension Settings {
    /// The profiles of `origin.profiles`, or of the service manager's credentials; none if there are none.
    /// - Throws: if the file cannot be read, or has a mistake.
    package var originProfiles: OriginProfiles {
        get throws(UnusableSetting) {
            guard let path = origin.profiles.isEmpty ? Self.credential("origin-profiles") : origin.profiles
            else {
                return OriginProfiles()
            }
            let text: String
            do {
                text = try String(contentsOfFile: path, encoding: .utf8)
            } catch {
                throw UnusableSetting(description: "origin.profiles: \(path): \(error.fileReason)")
            }
            return try OriginProfiles(text, path: path)
        }
    }
}
