// SPDX-License-Identifier: Apache-2.0

package import HTTP1
internal import HTTPCaching
internal import HTTPSemantics
package import HTTPServer
package import Pipeline

/// How the settings' picture is handed over in place of one that cannot be had or made.
package struct FallbackPolicy: Sendable {
    /// Nil = that of the failure.
    package let status: Int?
    /// Seconds for which clients may keep it; 0 = not at all.
    package let lifetime: Int
    /// Of the failures that it stands in for; empty = all that are about the picture.
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
    /// The word of `Pictor-Note`.
    private static let note = "fallback"

    /// The response with this picture in place of the one that the refusal is about. The log and the metrics count the
    /// refusal. Conditions and ranges count only where the status is 200 (RFC 9110 §13.2.1, §14.2). Where one does not hold,
    /// the 412 or 416 is for this client alone: shared caches would give it to all, in place of the picture.
    package func response(to request: Request, inPlaceOf refusal: Refusal, as policy: FallbackPolicy)
        -> Response
    {
        let status = policy.status ?? refusal.words.status
        // It may be another picture's in a moment, and that may be an old one: no date tells them apart.
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
