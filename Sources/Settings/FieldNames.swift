// SPDX-License-Identifier: Apache-2.0

/// Classifies names of fields in requests to origins: names that the settings must not use, and names of credentials.
enum FieldNames {
    /// True for fields that frame a request, name its target, or make it conditional. Only Pictor sets them.
    static func areOurs(_ name: String) -> Bool {
        let name = name.lowercased()
        return ours.contains(name) || name.hasPrefix("if-")
    }

    private static let ours: Set = [
        "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "keep-alive",
        "expect", "range", "accept-encoding", "proxy-authorization", "traceparent", "tracestate", "cdn-loop",
    ]

    /// True for fields that concern only the server to which the client speaks, and that a proxy does not pass on unchanged: they
    /// are about one connection (RFC 9110 §7.6.1), its content, its caches, or the route of the request.
    static func areOfThisHop(_ name: String) -> Bool {
        let name = name.lowercased()
        return ofThisHop.contains(name) || prefixes.contains(where: name.hasPrefix)
    }

    private static let ofThisHop: Set = [
        "cache-control", "date", "early-data", "forwarded", "http2-settings", "max-forwards", "pragma", "via",
        "x-client-ip", "x-real-ip", "x-request-id",
    ]
    private static let prefixes = ["content-", "proxy-", "x-forwarded-", "sec-websocket-"]

    /// True for fields whose names suggest that they grant access: `Authorization`, `Cookie`, `X-Api-Key`.
    static func areCredentials(_ name: String) -> Bool {
        let name = name.lowercased()
        return credentialWords.contains { name.contains($0) }
    }

    private static let credentialWords = [
        "auth", "cookie", "credential", "key", "password", "secret", "signature", "token",
    ]
}
