// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPCaching
internal import HTTPSemantics
internal import Yams

/// The members of one profile. A message about a mistake never contains values, because they may be secrets.
struct ProfileReading {
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

    /// True if the profile itself sets this field, which would replace the client's.
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
            // A `*` is valid in a field name (RFC 9110 §5.6.2), but whoever writes it here means a wildcard.
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
            // A `*` alone would give all queries the same original.
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
