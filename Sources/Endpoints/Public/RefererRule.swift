// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import HTTP1
internal import HTTPSemantics
package import Origin
internal import Settings

/// The pages that may show our pictures. A browser names its page in `Referer` (RFC 9110 §10.1.3) or `Origin`
/// (RFC 6454 §7). Other programs can send any name, so the rule saves bandwidth, but it hides no picture.
///
/// **Isolation:** immutable.
package struct RefererRule: Sendable {
    /// The hosts whose pages may show our pictures; not empty if made from the settings.
    package let hosts: [HostPattern]
    /// True if requests with neither field are allowed.
    let allowsAbsent: Bool

    private enum Finding { case absent, allowed, refused }

    /// False also for requests with repeated fields, which `allows` must judge. No allocation.
    func surelyAllows(_ request: borrowing RequestView) -> Bool {
        guard !request.head.isRepeated(.referer), !request.head.isRepeated(.origin) else { return false }
        return allows(
            referer: request[.referer].map(finding) ?? .absent,
            origin: request[.origin].map(finding) ?? .absent)
    }

    func allows(_ fields: Fields) -> Bool {
        allows(referer: finding(fields.values("Referer")), origin: finding(fields.values("Origin")))
    }

    /// If a request has both fields, neither may be refused.
    private func allows(referer: Finding, origin: Finding) -> Bool {
        switch (referer, origin) {
        case (.refused, _), (_, .refused): false
        case (.absent, .absent): allowsAbsent
        default: true
        }
    }

    /// Several lines name several pages, so they are refused.
    private func finding(_ values: [String]) -> Finding {
        guard let value = values.first else { return .absent }
        return values.count == 1 ? value.withFieldBytes(finding) : .refused
    }

    /// `null` is the origin of a sandbox or a file and names no page, and `about:blank` is a page without an address, so both count
    /// as absent.
    private func finding(_ value: UnsafeRawBufferPointer) -> Finding {
        if value.isEmpty || value.isSame(as: "null") || value.isSame(as: "about:blank") { return .absent }
        guard let host = Self.host(of: value) else { return .refused }
        return hosts.contains { $0.matches(host) } ? .allowed : .refused
    }

    /// The host of an http or https URL, without brackets, port and the final dot; nil for any other text. Also nil with user
    /// information, because no browser sends it, so it can only be meant to deceive.
    private static func host(of url: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let colon = url.firstIndex(of: UInt8(ascii: ":")), url.count > colon + 3 else { return nil }
        let scheme = UnsafeRawBufferPointer(rebasing: url[..<colon])
        let slashes = UnsafeRawBufferPointer(rebasing: url[colon..<colon + 3])
        guard scheme.isSame(as: "http") || scheme.isSame(as: "https"), slashes.isSame(as: "://") else {
            return nil
        }
        let authority = url[(colon + 3)...].prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        guard !authority.contains(UInt8(ascii: "@")) else { return nil }
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            return UnsafeRawBufferPointer(rebasing: url[(authority.startIndex + 1)..<end])
        }
        var name = authority.prefix { $0 != UInt8(ascii: ":") }
        if name.last == UInt8(ascii: ".") { name = name.dropLast() }
        return name.isEmpty ? nil : UnsafeRawBufferPointer(rebasing: name)
    }
}

extension Settings {
    /// Nil if any page may show our pictures.
    /// - Throws: for an entry that is no host pattern, or `allow-absent: false` without `allow`.
    package var refererRule: RefererRule? {
        get throws(UnusableSetting) {
            guard !referers.allow.isEmpty else {
                guard referers.allowAbsent else {
                    throw UnusableSetting(
                        description: "referers.allow-absent: false means nothing without referers.allow")
                }
                return nil
            }
            return RefererRule(
                hosts: try HostPatterns.read(referers.allow, "referers.allow"),
                allowsAbsent: referers.allowAbsent)
        }
    }
}
