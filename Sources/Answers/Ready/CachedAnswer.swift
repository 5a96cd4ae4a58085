// SPDX-License-Identifier: Apache-2.0

package import HTTP1
internal import HTTPCaching
package import HTTPSemantics
package import HTTPServer
internal import Kernel
internal import Pipeline
internal import Recipes
internal import RequestGrammar
internal import SourceURLs

/// An answer that can be given again, as long as its original is fresh, to whoever asks with the same target. What was
/// verified of the target was verified for all of them; only its end has to be watched.
///
/// **Isolation:** immutable.
package final class CachedAnswer: Sendable {
    let full: ReadyAnswer
    let notModified: ReadyAnswer
    /// What it is made of.
    let rendition: RenditionKey
    /// Nil: what it holds is not the rendition itself.
    let near: NearBody?
    /// Nil: what it holds is in memory.
    let file: OwnedDescriptor?
    let freshness: Freshness
    /// For purges.
    let originals: [OriginalKey]
    let tags: [String]
    private let entityTag: ImmutableBytes
    /// Or, where that is not known, when the original came (see `Preconditions`).
    private let lastModified: Timestamp
    /// The field's value before and after the seconds that are left.
    private let cacheStatus: (before: ImmutableBytes, after: ImmutableBytes)
    private let policy: ClientPolicy
    /// What clients are granted is reckoned anew for each answer (see `ClientDirectives`).
    private let cacheControlVaries: Bool

    /// - Parameters:
    ///   - body: what is held: what is sent, unless `text` is.
    ///   - outcome: what an answer by this cached answer is: `memoryHit`, or `diskHit` for an open file.
    ///   - dialect: what the target leads to.
    init(_ presentation: Presentation, body: Body, text: Base64Text?, outcome: Outcome, dialect: DialectName)
    {
        let answer = presentation.answer
        let tag = outcome.tag | dialect.tag
        rendition = answer.rendition.key
        freshness = answer.original.freshness
        originals = [answer.original.key] + (answer.watermark.map { [$0] } ?? [])
        tags = answer.tags
        policy = presentation.policy
        cacheControlVaries = !ClientDirectives.isConstant(freshness, policy: policy)
        var fields = presentation.fields
        if cacheControlVaries { fields.remove("Cache-Control") }
        full = ReadyAnswer(status: 200, fields: fields, body: body, text: text, tag: tag)
        file = full.file
        notModified = ReadyAnswer(
            status: 304, fields: AnswerFields.ofNotModified(fields), body: nil, tag: tag)
        let status = CacheStatus(.hit, timeToLive: 0, detail: outcome.rawValue).aroundTimeToLive
        cacheStatus = (ImmutableBytes(status.before.utf8), ImmutableBytes(status.after.utf8))
        if case .picture = presentation.content {
            near = NearBody(rendition: answer.rendition, body: body)
        } else {
            near = nil
        }
        entityTag = ImmutableBytes(presentation.entityTag.utf8)
        lastModified = answer.original.lastModified ?? answer.original.freshness.responseTime
    }

    /// What it occupies beside the body, in bytes.
    var overhead: Int {
        full.headLength + notModified.headLength + entityTag.count
            + originals.reduce(512) { $0 + $1.url.utf8.count }
    }

    /// The answer to this request, or nil where the request needs more thought than an event loop may spend.
    package func answer(
        to request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer? {
        guard case .fresh(let secondsLeft) = freshness.state(at: now), policy.end.map({ now < $0 }) ?? true,
            !request.head.has(.range), !request.head.has(.ifMatch), !request.head.has(.ifUnmodifiedSince)
        else { return nil }
        let answer: ReadyAnswer
        if let list = request[.ifNoneMatch] {
            guard !request.head.isRepeated(.ifNoneMatch) else { return nil }
            answer = EntityTag.matches(ifNoneMatch: list, tag: entityTag.buffer) ? notModified : full
        } else if let date = request[.ifModifiedSince] {
            guard !request.head.isRepeated(.ifModifiedSince) else { return nil }
            let since = HTTPDate.parse(date, now: now)
            answer = since.map { lastModified.seconds <= $0.seconds } ?? false ? notModified : full
        } else {
            answer = full
        }
        tail.append("Age", freshness.age(at: now))
        if cacheControlVaries { appendCacheControl(at: now, to: &tail) }
        tail.open("Cache-Status")
        tail.writeRaw(cacheStatus.before.buffer)
        tail.add(secondsLeft)
        tail.writeRaw(cacheStatus.after.buffer)
        tail.close()
        return answer
    }

    private func appendCacheControl(at now: Timestamp, to tail: inout FieldBuffer) {
        withUnsafeTemporaryAllocation(
            byteCount: ClientDirectives.CacheControl.capacity, alignment: 1
        ) { room in
            var writer = ByteWriter(room)
            ClientDirectives(freshness, at: now, policy: policy).cacheControl.append(to: &writer)
            tail.open("Cache-Control")
            tail.writeRaw(UnsafeRawBufferPointer(rebasing: room[..<writer.count]))
            tail.close()
        }
    }
}
