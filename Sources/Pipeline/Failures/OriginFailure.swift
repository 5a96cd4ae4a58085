// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching

/// Reasons why an exchange with an origin gave no answer. A new case needs its row and its example here, and
/// the adapter that throws it.
package enum OriginFailure: Error, Sendable, Hashable {
    /// The policy forbids the URL, the host, or the address behind it.
    case sourceRefused
    case nameNotResolved
    case cannotConnect
    case tls
    /// Connecting, the first byte or the transfer missed its deadline.
    case timedOut
    /// The body is over the limit, in bytes.
    case tooLarge(limit: Int)
    case tooManyRedirects(limit: Int)
    /// Malformed, truncated, or otherwise not HTTP.
    case brokenReply
    /// Valid HTTP, but useless: a head without end, a redirect to nowhere.
    case unusableReply
    /// A store refused Pictor's key, its signature or its clock, or an origin refused the credentials of its profile.
    case keyRefused
    /// The content coding is unsupported, damaged, or unpacks far beyond a plausible ratio.
    case undecodableContent
    /// No fetch permit is free; nothing was sent.
    case overloaded(retryAfter: Int)
    /// The machine failed: the body could not be written, or the thread of all fetches stands still.
    case unavailable
    case cancelled
}

extension OriginFailure: TabledFailure {
    /// All facts about the failure.
    package var row: FailureRow {
        switch self {
        case .sourceRefused:
            FailureRow(
                status: 400, code: "source_refused",
                message:
                    "This source may not be fetched from: the settings (origin, s3, azure) do not allow its host, port, address or path.",
                when: .picture(
                    "the scheme, host, port, address or path may not be fetched from: [Sources](../operating/sources.md)"
                ),
                memory: .never, held: .stays, health: .none, fetch: .refused, allowsSource: false,
                weserv: .replaced(400, "IP address blocked by policy"))
        case .nameNotResolved:
            FailureRow(
                status: 502, code: "origin_unreachable", message: "The origin's name could not be resolved.",
                when: .origin("the origin's name has no address"),
                memory: .known(.nameNotResolved, about: .source), held: .standsIn, health: .down,
                fetch: .unresolved, allowsSource: true, weserv: Self.unresolvable)
        case .cannotConnect:
            FailureRow(
                status: 502, code: "origin_unreachable", message: "The origin could not be reached.",
                when: .origin("no connection to the origin is possible"),
                memory: .known(.unreachable, about: .source), held: .standsIn, health: .down,
                fetch: .unreachable, allowsSource: true, weserv: Self.unresolvable)
        case .tls:
            FailureRow(
                status: 502, code: "origin_tls",
                message: "No trusted TLS connection to the origin could be made.",
                when: .origin("no trusted TLS connection to the origin is possible"),
                memory: .known(.unreachable, about: .source), held: .standsIn, health: .down,
                fetch: .unreachable, allowsSource: true, weserv: Self.unresolvable)
        case .timedOut:
            FailureRow(
                status: 504, code: "origin_timeout", message: "The origin was too slow.",
                when: .origin("the origin was too slow"), memory: .known(.unreachable, about: .source),
                held: .standsIn, health: .downUnlessConnected, fetch: .timeout, allowsSource: true,
                weserv: .replaced(404, "The requested URL timed out."))
        case .tooLarge(let limit):
            FailureRow(
                status: 413, code: "original_too_large",
                message: "The original is larger than the limit of \(limit) bytes (origin.maximum-body).",
                when: .picture("the original has more bytes than `origin.maximum-body`"),
                memory: .known(.notAnImage, about: .source), held: .isSuperseded, health: .well,
                fetch: .tooLarge, allowsSource: true,
                weserv: .replaced(
                    404, "The image is too large to be downloaded. Max image size: \(limit) bytes"))
        case .tooManyRedirects(let limit):
            FailureRow(
                status: 508, code: "too_many_redirects",
                message:
                    "The origin redirects in a circle or more than \(limit) times (origin.maximum-redirects).",
                when: .origin(
                    "the origin redirects in a circle, or more than `origin.maximum-redirects` times"),
                memory: .known(.unreachable, about: .source), held: .standsIn, health: .well, fetch: .broken,
                allowsSource: false, weserv: .replaced(404, "Will not follow more than \(limit) redirects"))
        case .brokenReply:
            FailureRow(
                status: 502, code: "origin_broken_reply",
                message: "The origin's answer was broken or cut short.",
                when: .origin("the origin's answer is broken or cut short"),
                memory: .known(.unreachable, about: .source), held: .standsIn, health: .failed,
                fetch: .broken, allowsSource: true, weserv: Self.unresolvable)
        case .unusableReply:
            FailureRow(
                status: 502, code: "origin_broken_reply",
                message: "The origin's answer cannot be used, such as a redirect to nowhere.",
                when: .origin("the answer is of no use, such as a redirect to nowhere"),
                memory: .known(.unreachable, about: .source), held: .standsIn, health: .well, fetch: .broken,
                allowsSource: true, weserv: Self.unresolvable)
        case .keyRefused:
            FailureRow(
                status: 502, code: "origin_status",
                message: "The origin refuses the key or the credentials that Pictor has for it.",
                when: .origin(
                    "a store refused Pictor's key, signature or clock, or an origin refused the credentials of its profile"
                ),
                memory: .known(.unreachable, about: .source), held: .standsIn, health: .well,
                fetch: .clientError, allowsSource: true,
                weserv: .replaced(404, "The requested URL returned error: 403"))
        case .undecodableContent:
            FailureRow(
                status: 502, code: "origin_broken_reply",
                message:
                    "The origin's answer is compressed by something else than gzip, deflate, br or zstd, or could not be unpacked.",
                when: .origin(
                    "the answer's [content coding](caching.md#compressed-originals) cannot be undone"),
                memory: .known(.unreachable, about: .source), held: .standsIn, health: .well, fetch: .broken,
                allowsSource: true, weserv: Self.unresolvable)
        case .overloaded(let retryAfter): FailureRow(own: .overloaded(retryAfter: retryAfter))
        case .unavailable: FailureRow(own: .unavailable(.fetch))
        case .cancelled: FailureRow(own: .cancelled)
        }
    }

    private static var unresolvable: FailureRow.Weserv {
        .replaced(404, "The hostname of the origin is unresolvable (DNS) or blocked by policy.")
    }

    /// An example of each case, from which documents and tests are derived.
    package static let examples: [OriginFailure] = [
        .sourceRefused, .nameNotResolved, .cannotConnect, .tls, .timedOut, .tooLarge(limit: 1000),
        .tooManyRedirects(limit: 5), .brokenReply, .unusableReply, .keyRefused, .undecodableContent,
        .overloaded(retryAfter: 3), .unavailable, .cancelled,
    ]
}

extension FailureRow {
    /// A row about an exchange, without a time for a retry; no rendition has been counted yet.
    fileprivate init(
        status: Int, code: String, message: String, when: When, memory: Memory, held: Held, health: Health,
        fetch: FetchEnd, allowsSource: Bool, weserv: Weserv
    ) {
        self.init(
            status: status, code: code, message: message, when: when, retryAfter: nil, memory: memory,
            held: held, health: health, fetch: fetch, allowsSource: allowsSource, isRefunded: false,
            weserv: weserv)
    }
}
