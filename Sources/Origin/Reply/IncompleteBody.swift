// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics

/// A body that broke off, and the validator with which its rest can be requested (RFC 9110 §14.2, §13.1.5).
///
/// Bytes of two versions must never mix: the request names the version (`If-Range`), and the answer must name the same one, because
/// some servers support `Range` but not `If-Range`. A repeated field is ignored, because nobody knows which of its values is right.
struct IncompleteBody {
    /// How an answer to a request for the rest can be used.
    enum Verdict: Equatable {
        /// The rest of the same version follows; the whole body has `total` bytes.
        case rest(total: Int)
        /// The whole current body follows.
        case whole
        /// The answer is for another version, or another part: fetch the body from the start.
        case startOver
        /// The answer is of no use; the download fails with its first reason.
        case giveUp
    }

    private enum Validator {
        case entityTag(EntityTag)
        case lastModified(String)
    }

    /// The head of the broken response.
    let head: ReplyHead
    let requestTime: Timestamp
    let responseTime: Timestamp
    /// Bytes received.
    let received: Int
    /// Bytes of the whole body; nil if not announced.
    let total: Int?
    /// The reason why the body broke off.
    let failure: DownloadFailure
    private let validator: Validator

    /// Nil if the rest cannot be requested, because nothing is missing, the response has no strong validator, or its server does
    /// not support ranges.
    init?(
        _ head: ReplyHead, requestTime: Timestamp, responseTime: Timestamp, received: Int, total: Int?,
        failure: DownloadFailure
    ) {
        let fields = head.fields
        let units = fields.combined("accept-ranges")?.lowercased()
        // A body that a proxy has transformed (203) has no version of its own (RFC 9110 §15.3.4).
        guard head.status == 200, received > 0, received < total ?? .max, units == "bytes" || units == nil,
            units != nil || total != nil, !Self.isCoded(fields),
            let validator = Self.validator(fields, at: responseTime)
        else { return nil }
        self.head = head
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.received = received
        self.total = total
        self.failure = failure
        self.validator = validator
    }

    /// Value of `Range` in the request for the rest.
    var range: String { "bytes=\(received)-" }
    var ifRange: String {
        switch validator {
        case .entityTag(let tag): "\(tag)"
        case .lastModified(let date): date
        }
    }

    /// The fields that ask for the rest.
    var conditions: [Fields.Field] { [Fields.Field("Range", range), Fields.Field("If-Range", ifRange)] }

    /// - Parameter length: the length in bytes that the answer announces; nil if it announces none.
    func verdict(on answer: ReplyHead, length: Int?) -> Verdict {
        switch answer.status {
        case 206:
            let fields = answer.fields
            guard let range = ContentRange(fields.combined("content-range") ?? ""), range.first == received,
                range.last == range.total - 1, range.total == total ?? range.total,
                length ?? range.count == range.count, !Self.isCoded(fields), isSameVersion(fields),
                mayBeKept(fields) || !mayBeKept(head.fields)
            else { return .startOver }
            return .rest(total: range.total)
        case _ where answer.isPicture: return .whole
        case 416: return .startOver
        default: return .giveUp
        }
    }

    private func isSameVersion(_ fields: Fields) -> Bool {
        switch validator {
        case .entityTag(let tag):
            fields.combined("etag").flatMap { EntityTag($0) }.map(tag.matchesStrongly) ?? false
        case .lastModified(let date): fields["etag"] == nil && fields.combined("last-modified") == date
        }
    }

    /// A strong validator for `If-Range` (RFC 9110 §13.1.5): a strong entity tag or, without any tag, a
    /// strong date.
    private static func validator(_ fields: Fields, at responseTime: Timestamp) -> Validator? {
        if let text = fields.combined("etag") {
            guard let tag = EntityTag(text), !tag.isWeak else { return nil }
            return .entityTag(tag)
        }
        guard let text = fields.combined("last-modified"),
            let modified = HTTPDate.parse(text, now: responseTime),
            let date = fields["date"].flatMap({ HTTPDate.parse($0, now: responseTime) }),
            date.seconds - modified.seconds >= certainAfter
        else { return nil }
        return .lastModified(text)
    }

    /// Seconds between `Last-Modified` and `Date` that make the date a strong validator, despite a second
    /// change within the same second and despite separate clocks (RFC 9110 §8.8.2.2; the number is RFC
    /// 7232's).
    private static let certainAfter = 60

    /// True if a shared cache may store a response with these fields (RFC 9111 §3). The response with the rest must not forbid what
    /// the first one allowed, because the whole is stored with the fields of the first part (§3.4).
    private func mayBeKept(_ fields: Fields) -> Bool {
        let transit = Transit(requestTime: requestTime, responseTime: responseTime)
        if case .store = CachePolicy().assess(status: 200, fields: fields, by: transit) { return true }
        return false
    }

    private static func isCoded(_ fields: Fields) -> Bool {
        fields.combined("content-encoding").map { $0.lowercased() != "identity" } ?? false
    }
}
