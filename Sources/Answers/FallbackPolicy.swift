// SPDX-License-Identifier: Apache-2.0

package import HTTP1
internal import HTTPCaching
internal import HTTPSemantics
package import HTTPServer
package import Pipeline

/// How the settings' fallback picture is sent in place of one that cannot be had or made.
package struct FallbackPolicy: Sendable {
    /// The status of the answer; nil = the failure's own.
    package let status: Int?
    /// Seconds for which clients may keep the fallback picture; 0 = not at all.
    package let lifetime: Int
    /// The statuses of the failures that it replaces; empty = all failures of the picture itself.
    package let causes: [ClosedRange<Int>]

    package init(status: Int?, lifetime: Int, causes: [ClosedRange<Int>] = []) {
        self.status = status
        self.lifetime = lifetime
        self.causes = causes
    }

    /// True if clients get the picture in place of this failure.
    package func standsIn(for reason: PipelineFailure.Reason) -> Bool {
        reason.isOfPicture && (causes.isEmpty || causes.contains { $0.contains(reason.causeStatus) })
    }
}

extension PictureResponse {
    /// The value of `Pictor-Note`.
    private static let note = "fallback"

    /// The response with this picture in place of the refused one. The log and the metrics count the refusal. Conditions and ranges
    /// apply only if the status is 200 (RFC 9110 §13.2.1, §14.2). If one fails, the 412 or 416 is for this client alone, because
    /// shared caches would give it to all clients in place of the picture.
    package func response(to request: Request, inPlaceOf refusal: Refusal, as policy: FallbackPolicy)
        -> Response
    {
        let status = policy.status ?? refusal.words.status
        // Without a date: the URL may lead to another picture a moment later, perhaps an older one, so dates cannot tell them apart.
        var response = status == 200 ? conditional(request, isDated: false) : whole
        response.fields.remove("Last-Modified")
        let isOfPicture = status != 200 || [200, 206, 304].contains(response.status)
        if status != 200 {
            response.status = status
            for name in ["ETag", "Accept-Ranges"] { response.fields.remove(name) }
            if let wait = refusal.words.retryAfter { response.fields.append("Retry-After", "\(wait)") }
        }
        if isOfPicture {
            response.fields.remove("Link")
            response.fields.set("Cache-Control", control(policy).text)
            response.fields.set("Pictor-Note", Self.note)
        }
        response.tag = refusal.outcome.tag | refusal.words.tag
        response.notes = AnswerNotes(
            key: presentation.answer.rendition.key, times: refusal.failure?.times ?? StageTimes())
        return response
    }

    private func control(_ policy: FallbackPolicy) -> ClientDirectives.CacheControl {
        let isPrivate = presentation.answer.original.freshness.flags.contains(.privateToClients)
        guard let end = presentation.policy.end else {
            return .refusal(seconds: policy.lifetime, isPrivate: isPrivate)
        }
        let left = Int(clamping: (end.milliseconds - presentation.now.milliseconds) / 1000)
        return .refusal(seconds: min(policy.lifetime, max(0, left)), hasEnd: true, isPrivate: isPrivate)
    }
}
