// SPDX-License-Identifier: Apache-2.0

/// What is told by the names of fields of requests to origins: those that the settings may not use, and those of credentials.
enum FieldNames {
    /// Fields that frame a request, name its target, or make it conditional.
    static func areOurs(_ name: String) -> Bool {
        let name = name.lowercased()
        return ours.contains(name) || name.hasPrefix("if-")
    }

    private static let ours: Set = [
        "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "keep-alive",
        "expect", "range", "accept-encoding", "proxy-authorization", "traceparent", "tracestate", "cdn-loop",
    ]

    /// Fields that a client has for the server that it speaks to, which no proxy passes on as they are: they are about one
    /// connection (RFC 9110 §7.6.1), its content, its caches, or the way that the request came.
    static func areOfThisHop(_ name: String) -> Bool {
        let name = name.lowercased()
        return ofThisHop.contains(name) || prefixes.contains(where: name.hasPrefix)
    }

    private static let ofThisHop: Set = [
        "cache-control", "date", "early-data", "forwarded", "http2-settings", "max-forwards", "pragma", "via",
        "x-client-ip", "x-real-ip", "x-request-id",
    ]
    private static let prefixes = ["content-", "proxy-", "x-forwarded-", "sec-websocket-"]

    /// Fields that open what they are sent to, as far as their names tell: `Authorization`, `Cookie`, `X-Api-Key`.
    static func areCredentials(_ name: String) -> Bool {
        let name = name.lowercased()
        return credentialWords.contains { name.contains($0) }
    }

    private static let credentialWords = [
        "auth", "cookie", "credential", "key", "password", "secret", "signature", "token",
    ]
}
