// SPDX-License-Identifier: Apache-2.0

package import HTTP1
internal import HTTPCaching
internal import HTTPSemantics
package import HTTPServer
internal import Kernel
internal import Pipeline

/// The response with a picture, or the part of it that the request's conditions and its range select.
package struct PictureResponse {
    let presentation: Presentation

    /// One value serves any number of requests for the same presentation.
    package init(presentation: Presentation) {
        self.presentation = presentation
    }

    private var now: Timestamp { presentation.now }
    private var answer: Answer<Body> { presentation.answer }
    /// The fields that all requests of this target share.
    private var fields: Fields { presentation.fields }
    private var tag: EntityTag? { EntityTag(presentation.entityTag) }

    /// The 200, 206, 304, 412 or 416 for this request.
    package func response(to request: Request) -> Response {
        var response = conditional(request)
        for (name, value) in AnswerFields.provenance(of: answer, now: now) {
            response.fields.append(name, value)
        }
        response.tag = AnswerTag(response.tag).telling(answer.outcome).bits
        response.notes = AnswerNotes(key: answer.rendition.key, times: answer.times)
        return response
    }

    /// RFC 9110 §13.2.2: conditions come before ranges.
    /// - Parameter isDated: false if the picture has no usable date, so that conditions with dates are ignored.
    func conditional(_ request: Request, isDated: Bool = true) -> Response {
        var conditions = Preconditions(request.fields)
        if !isDated { (conditions.ifModifiedSince, conditions.ifUnmodifiedSince) = (nil, nil) }
        if presentation.hasOtherRules, let date = conditions.ifModifiedSince.flatMap(parsed), date > now {
            conditions.ifModifiedSince = nil
        }
        let original = answer.original
        let result = conditions.evaluate(
            tag: tag, lastModified: presentation.changed(original.lastModified),
            received: presentation.changed(
                answer.isKept && !answer.isSubstitute ? original.freshness.responseTime : nil), now: now)
        switch result {
        case .proceed: return request.method == "GET" ? ranged(request) : whole
        case .notModified: return Response(status: 304, fields: AnswerFields.ofNotModified(fields))
        case .failed: return ErrorResponse.preconditionFailed.response()
        }
    }

    private func parsed(_ date: String) -> Timestamp? { HTTPDate.parse(date, now: now) }

    private func ranged(_ request: Request) -> Response {
        let selection = ByteRange.select(
            range: request.fields.combined("Range"), ifRange: request.fields.combined("If-Range"), tag: tag,
            length: presentation.length)
        switch selection {
        case .whole: return whole
        case .part(let part):
            var response = whole
            (response.status, response.part) = (206, part)
            let range = ByteRange.contentRange(part, of: presentation.length)
            response.fields.append("Content-Range", range)
            return response
        case .unsatisfiable:
            var response = ErrorResponse.rangeNotSatisfiable.response()
            let range = ByteRange.contentRange(unsatisfiedOf: presentation.length)
            response.fields.append("Content-Range", range)
            return response
        }
    }

    var whole: Response {
        Response(status: 200, fields: fields, body: presentation.body, text: presentation.text)
    }
}
