// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// A body that broke off in its middle, and by which sign its rest can be asked for (RFC 9110 §14.2, §13.1.5).
///
/// Bytes of two versions never meet: the request says which version it goes on with (`If-Range`), and the answer has
/// to say the same once more, because some servers know `Range` and not `If-Range`.
struct TornBody {
    /// What to do with the answer to a request for the rest.
    enum Verdict: Equatable {
        /// The rest of the same version follows; the whole has that many bytes.
        case rest(total: Int)
        /// The whole of what is there now follows.
        case whole
        /// It is another version, or another part: to be asked for as if for the first time.
        case startOver
        /// Neither; the download failed as it did.
        case giveUp
    }

    private enum Validator {
        case entityTag(EntityTag)
        case lastModified(String)
    }

    /// Of the response that it belongs to.
    let head: ReplyHead
    let requestTime: Timestamp
    let responseTime: Timestamp
    /// Bytes that are here.
    let received: Int
    /// Bytes of the whole, where they were announced.
    let total: Int?
    /// What it broke of.
    let failure: DownloadFailure
    private let validator: Validator

    /// Nil where the rest cannot be asked for: there is none, the response names no version for certain, or its server
    /// says that it gives no parts.
    init?(
        _ head: ReplyHead, requestTime: Timestamp, responseTime: Timestamp, received: Int, total: Int?,
        failure: DownloadFailure
    ) {
        let fields = head.fields
        let units = fields.combined("accept-ranges")?.lowercased()
        // What a proxy has altered (203) has no version of its own (RFC 9110 §15.3.4).
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

    /// Field values of the request for the rest.
    var range: String { "bytes=\(received)-" }
    var ifRange: String {
        switch validator {
        case .entityTag(let tag): "\(tag)"
        case .lastModified(let date): date
        }
    }

    /// - Parameter length: bytes that the answer announces.
    func verdict(on answer: ReplyHead, length: Int?) -> Verdict {
        switch answer.status {
        case 206:
            guard let range = ContentRange(answer.fields["content-range"] ?? ""), range.first == received,
                range.last == range.total - 1, range.total == total ?? range.total,
                length ?? range.count == range.count, !Self.isCoded(answer.fields),
                isSameVersion(answer.fields)
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
            fields["etag"].flatMap { EntityTag($0) }.map(tag.matchesStrongly) ?? false
        case .lastModified(let date): fields["etag"] == nil && fields["last-modified"] == date
        }
    }

    /// RFC 9110 §13.1.5: a strong entity tag, or without any tag a date that is a strong validator.
    private static func validator(_ fields: Fields, at responseTime: Timestamp) -> Validator? {
        if let text = fields["etag"] {
            guard let tag = EntityTag(text), !tag.isWeak else { return nil }
            return .entityTag(tag)
        }
        guard let text = fields["last-modified"],
            let modified = HTTPDate.parse(text, now: responseTime),
            let date = fields["date"].flatMap({ HTTPDate.parse($0, now: responseTime) }),
            date.seconds - modified.seconds >= certainAfter
        else { return nil }
        return .lastModified(text)
    }

    /// Seconds between `Last-Modified` and `Date` after which no second change within the same second, and no clock of
    /// its own behind either, is to be feared (RFC 9110 §8.8.2.2; the number is RFC 7232's).
    private static let certainAfter = 60

    private static func isCoded(_ fields: Fields) -> Bool {
        fields.combined("content-encoding").map { $0.lowercased() != "identity" } ?? false
    }
}
