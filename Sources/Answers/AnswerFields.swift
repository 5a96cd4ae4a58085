// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import ImageHeaders
internal import Kernel
internal import Pipeline
internal import Recipes
internal import RequestGrammar
internal import SourceURLs

/// The header fields of an answer with a picture.
enum AnswerFields {
    /// The fields that are the same in every answer to a target, as long as the original's freshness does not change.
    static func of(
        _ content: Presentation.Content, _ entityTag: String, of answer: Answer<Body>,
        for request: ImageRequest,
        policy: ClientPolicy, variesByOrigin: Bool, asksForHints: Bool, now: Timestamp
    ) -> Fields {
        var fields = Fields()
        // Room for the fields of one answer (`provenance`) and of its client too.
        fields.reserve(20)
        fields.append("Content-Type", content.mediaType(of: answer.rendition))
        fields.append("ETag", entityTag)
        if let disposition = disposition(content, of: answer, for: request.delivery) {
            fields.append("Content-Disposition", disposition)
        }
        if let lastModified = answer.original.lastModified {
            fields.append("Last-Modified", HTTPDate.format(lastModified))
        }
        let directives = ClientDirectives(answer.original.freshness, at: now, policy: policy)
        fields.append("Cache-Control", directives.cacheControl.text)
        if asksForHints { fields.append("Accept-CH", HintFields.asked) }
        if let vary = vary(
            byAccept: answer.variesByAccept, by: hints(of: answer, for: request), byOrigin: variesByOrigin)
        {
            fields.append("Vary", vary)
        }
        let isDrawing = answer.rendition.format == .svg && request.recipe.output != .raw
        for (name, value) in isDrawing ? harmlessDrawing : harmless { fields.append(name, value) }
        if let link = link(to: request) { fields.append("Link", link) }
        return fields
    }

    /// Bytes of the longest URL that an answer names in `Link`. nginx takes 4 KiB of a head by default (`proxy_buffer_size`), and
    /// answers 502 in place of a longer one; the other fields take less than 2.5 KiB, most of it a long file name.
    private static let longestLinked = 1_536

    /// The original's URL, as the canonical one; nil if the request hides it, or if it is too long.
    private static func link(to request: ImageRequest) -> String? {
        let url = request.source.absolute
        guard !request.hidesSource, url.utf8.count <= longestLinked else { return nil }
        return "<\(url)>; rel=\"canonical\""
    }

    /// The value of `Vary`; nil if the URL alone decides the answer.
    private static func vary(byAccept: Bool, by hints: HintFields, byOrigin: Bool) -> String? {
        // A short cut, because most answers need no list.
        if hints.isEmpty, !byOrigin { return byAccept ? "Accept" : nil }
        return ((byAccept ? ["Accept"] : []) + hints.names + (byOrigin ? ["Origin"] : []))
            .joined(separator: ", ")
    }

    /// The hints that the answer depends on. `Save-Data` lowers the quality, so it does not matter for a format without one, such as
    /// PNG and TIFF, unless the client's `Accept` chose the format.
    private static func hints(of answer: Answer<Body>, for request: ImageRequest) -> HintFields {
        let hints = request.delivery.hints
        let isOfQuality =
            request.boxedRecipe.recipe.output == .auto || answer.rendition.format.hasStandardQuality
        return isOfQuality ? hints : hints.subtracting(.saveData)
    }

    /// RFC 6266; nil if the request asks for no disposition. The name is given as a token; a name that no token can hold is given
    /// beside it, escaped by RFC 8187, and browsers prefer that.
    private static func disposition(
        _ content: Presentation.Content, of answer: Answer<Body>, for delivery: Delivery
    ) -> String? {
        let kind = delivery.isAttachment ? "attachment" : "inline"
        guard let name = delivery.filename else { return delivery.isAttachment ? kind : nil }
        let ending = content.fileExtension(of: answer.rendition)
        let token = "\(kind); filename=\(name).\(ending)"
        guard let full = delivery.fullName else { return token }
        return "\(token); filename*=UTF-8''\(QueryText.escape(name: full)).\(ending)"
    }

    /// Fields that keep a picture harmless wherever it is shown: no sniffing, no scripts in it, embedding allowed on any page.
    static let harmless = [
        ("Accept-Ranges", "bytes"),
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "default-src 'none'; sandbox"),
        ("Cross-Origin-Resource-Policy", "cross-origin"),
        ("Timing-Allow-Origin", "*"),
    ]

    /// The same fields for an SVG that Pictor wrote anew, which may use its own styles and the pictures within it.
    private static let harmlessDrawing = harmless.map { name, value in
        name == "Content-Security-Policy"
            ? (name, "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox") : (name, value)
    }

    /// Deviations from the request, as a list of tokens (RFC 9651 §3.1); nil without deviations. If the request named AVIF: the
    /// picture is too large for AVIF, or has frames that AVIF does not hold. If the client's `Accept` chose AVIF: the AVIF comes
    /// later, or is not made.
    static func note(on answer: Answer<Body>, to request: ImageRequest) -> String? {
        if answer.isSubstitute { return answer.awaitsAVIF ? "avif-later" : "avif-not-made" }
        guard request.boxedRecipe.recipe.output == .format(.avif) else { return nil }
        let header = answer.original.header
        var notes: [String] = []
        if answer.rendition.format != .avif { notes.append("avif-too-large") }
        if request.delivery.hasFramesToLose, header.format.canAnimate, header.pages > 1 {
            notes.append("first-frame-only")
        }
        return notes.isEmpty ? nil : notes.joined(separator: ", ")
    }

    /// The fields of the 200 that a 304 repeats (RFC 9110 §15.4.5).
    static func ofNotModified(_ fields: Fields) -> Fields {
        Fields(fields.list.filter { $0.name.withFieldBytes(isRepeated) })
    }

    /// True for the name of a field that a 304 repeats.
    static func isRepeated(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 4: name.isSame(as: "ETag") || name.isSame(as: "Vary")
        case 13: name.isSame(as: "Last-Modified") || name.isSame(as: "Cache-Control")
        default: false
        }
    }

    /// The fields about this one answer: `Age`, `Cache-Status` (RFC 9211), and `Server-Timing` with times in milliseconds.
    static func provenance(of answer: Answer<Body>, now: Timestamp) -> [(String, String)] {
        var fields = [("Cache-Status", cacheStatus(answer, now: now))]
        var timing = timing(answer.times)
        // For scripts of pages, which can read no other field of a picture's answer.
        if answer.awaitsAVIF { timing += timing.isEmpty ? "avif;desc=later" : ", avif;desc=later" }
        if !timing.isEmpty { fields.append(("Server-Timing", timing)) }
        let age = answer.original.freshness.age(at: now)
        if answer.forwarding == nil || age > 0 { fields.insert(("Age", "\(age)"), at: 0) }
        return fields
    }

    /// This node's member of the field, preceded by the shared store's member if the store had a part in the answer.
    private static func cacheStatus(_ answer: Answer<Body>, now: Timestamp) -> String {
        let reason = answer.forwarding?.reason ?? answer.store?.reason
        var status = CacheStatus(
            reason.map { .forwarded($0) } ?? .hit,
            timeToLive: answer.original.freshness.secondsLeft(at: now), detail: answer.outcome.rawValue)
        status.forwardStatus = answer.forwarding?.status
        status.isStored = answer.forwarding?.isStored ?? answer.store?.isStored ?? false
        status.isCollapsed = answer.forwarding?.isCollapsed ?? answer.store?.isCollapsed ?? false
        guard let store = answer.store else { return status.text }
        return CacheStatus.text([store.status, status])
    }

    static func timing(_ times: StageTimes) -> String {
        var text = ""
        for stage in StageTimes.Stage.allCases where times[stage] > 0 {
            if !text.isEmpty { text += ", " }
            text += stage.rawValue
            if stage == .decode, times.isPlanar { text += ";desc=planar" }
            text += ";dur="
            text += milliseconds(times[stage])
        }
        return text
    }

    /// Milliseconds with two decimals, because an inspection takes less than one.
    private static func milliseconds(_ microseconds: Int) -> String {
        let hundredths = microseconds / 10
        return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
    }
}
