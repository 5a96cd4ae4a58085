// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics
internal import HTTPServer
internal import Origin
package import Settings

/// The pages whose scripts may read the answers (Fetch standard, CORS protocol).
///
/// A browser names its page's origin in `Origin`. If every page may read, the answer is the same for all pages; otherwise it repeats
/// an allowed origin, and `Vary` says so.
///
/// **Isolation:** immutable.
package struct CrossOriginRule: Sendable {
    /// Pages of one scheme and port.
    fileprivate struct Site: Sendable {
        let scheme: String
        let host: HostPattern
        /// The port with its colon; empty for the scheme's default.
        let port: String
    }

    /// Nil for every page, empty for none.
    private let sites: [Site]?
    /// Seconds for which browsers may keep the answer to a preflight.
    private let maximumAge: Int64

    /// True if two pages may get different answers.
    package var variesByOrigin: Bool { sites?.isEmpty == false }

    // MARK: Answers

    /// Adds the fields to a ready answer, whose head has `Vary` already. No allocation.
    func append(to tail: inout FieldBuffer, for request: borrowing RequestView) {
        guard sites != nil else { return tail.append("Access-Control-Allow-Origin", "*") }
        guard !request.head.isRepeated(.origin), let origin = request[.origin], allows(origin) else { return }
        tail.open("Access-Control-Allow-Origin")
        tail.writeRaw(origin)
        tail.close()
    }

    /// Adds the fields to any other answer.
    func append(to fields: inout Fields, for request: Request) {
        guard sites != nil else { return fields.set("Access-Control-Allow-Origin", "*") }
        guard variesByOrigin else { return }
        fields.vary(by: ["Origin"])
        let origins = request.fields.values("Origin")
        if origins.count == 1, let origin = origins.first, origin.withFieldBytes(allows) {
            fields.set("Access-Control-Allow-Origin", origin)
        }
    }

    /// Adds the fields to the answer to bytes that are no valid request, and so name no origin.
    func readable(_ response: Response) -> Response {
        var response = response
        if sites == nil { response.fields.set("Access-Control-Allow-Origin", "*") }
        return response
    }

    /// The answer to OPTIONS: the allowed methods, and for a page that may read, the answer to its preflight. All request fields are
    /// allowed by `*`, which does not cover `Authorization`; pages of other sites must not send that.
    func preflight(_ request: Request) -> Response {
        var fields = Fields([Fields.Field("Allow", Self.methods)])
        append(to: &fields, for: request)
        if !fields.values("Access-Control-Allow-Origin").isEmpty {
            fields.append("Access-Control-Allow-Methods", "GET, HEAD")
            fields.append("Access-Control-Allow-Headers", "*")
            fields.append("Access-Control-Max-Age", "\(maximumAge)")
        }
        return Response(status: 204, fields: fields)
    }

    /// The methods of URLs of pictures.
    static let methods = "GET, HEAD, OPTIONS"

    // MARK: Origins

    /// True if the origin may read: `scheme://host` and an optional `:port`, in ASCII (RFC 6454 §6.2). `null` is no site's origin.
    private func allows(_ origin: UnsafeRawBufferPointer) -> Bool {
        guard let sites else { return true }
        return sites.contains { site in
            let (scheme, port) = (site.scheme.utf8, site.port.utf8)
            guard origin.count > scheme.count + port.count, origin.starts(with: scheme),
                origin.reversed().starts(with: port.reversed())
            else { return false }
            // Cannot trap: the origin is longer than the scheme and the port together.
            var host = origin[scheme.count..<(origin.count - port.count)]
            // Patterns have IPv6 addresses without brackets.
            if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
                host = host.dropFirst().dropLast()
            }
            return site.host.matches(UnsafeRawBufferPointer(rebasing: host))
        }
    }

    private init(sites: [Site]?, maximumAge: Int64) {
        self.sites = sites
        self.maximumAge = maximumAge
    }

    /// The rule in the settings.
    /// - Throws: for an entry that is neither `*` nor an origin, and for `*` beside others.
    package init(_ settings: Settings.CORS) throws(UnusableSetting) {
        let age = settings.maximumAge.components.seconds
        if settings.allow == ["*"] {
            self.init(sites: nil, maximumAge: age)
            return
        }
        var sites: [Site] = []
        for text in settings.allow { sites.append(try Site(text)) }
        self.init(sites: sites, maximumAge: age)
    }
}

extension CrossOriginRule.Site {
    fileprivate init(_ text: String) throws(UnusableSetting) {
        let schemes = ["https://", "http://"]
        guard let scheme = schemes.first(where: text.hasPrefix) else { throw Self.unusable(text) }
        var host = text.dropFirst(scheme.count)
        var port = ""
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
            let digits = host[host.index(after: colon)...]
            guard let number = UInt16(digits), number > 0, "\(number)" == digits else {
                throw Self.unusable(text)
            }
            // Browsers leave out the scheme's default port.
            if number != (scheme == "https://" ? 443 : 80) { port = ":\(number)" }
            host = host[..<colon]
        }
        guard let pattern = HostPattern(String(host)) else { throw Self.unusable(text) }
        (self.scheme, self.host, self.port) = (scheme, pattern, port)
    }

    private static func unusable(_ text: String) -> UnusableSetting {
        UnusableSetting(
            description: text == "*"
                ? "cors.allow: * must stand alone"
                : "cors.allow: \"\(text)\" is no origin as https://host, https://*.host or http://host:port")
    }
}
