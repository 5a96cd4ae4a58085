// SPDX-License-Identifier: Apache-2.0

package import HTTP1
internal import HTTPCaching
package import HTTPSemantics
package import HTTPServer
package import Kernel
package import Pipeline
internal import Recipes
package import RequestGrammar
internal import SourceURLs
internal import Synchronization

/// An answer that serves every request for the same target while its original is fresh. Checks of the target, such as a signature,
/// hold for all of these requests; only the expiry of a signed URL must be watched.
///
/// **Isolation:** immutable, except for the 304, which the first thread that needs it makes.
package final class CachedAnswer: Sendable {
    let full: ReadyAnswer
    private let confirmation = AtomicLazyReference<ReadyAnswer>()
    /// The rendition in the content, for `release`.
    let rendition: RenditionKey
    /// The original whose own bytes are the content, for `release`; nil for a rendition.
    let handedOn: OriginalDigest?
    /// Nil unless the answer holds the rendition itself.
    let renditionBody: RenditionBody?
    /// Nil if the answer holds its body in memory.
    let file: OwnedDescriptor?
    let freshness: Freshness
    /// Kept alive for `AnswerCache.endAnswers`.
    private let answered: (original: AnsweredOriginal, watermark: AnsweredOriginal?)
    private let usedBytes: (original: UsedBytes, watermark: UsedBytes?)
    /// Keys of the original and the watermark, for purges.
    private let originals: [OriginalKey]
    private let tags: [String]
    private let entityTag: ImmutableBytes
    /// The original's arrival if its last modification is unknown (see `Preconditions`).
    private let lastModified: Timestamp
    /// As `Presentation.hasOtherRules`.
    private let hasOtherRules: Bool
    /// The value of `Cache-Status` before and after the seconds left.
    private let cacheStatus: (before: ImmutableBytes, after: ImmutableBytes)
    private let policy: ClientPolicy
    /// True if `Cache-Control` must be computed for each answer (see `ClientDirectives`).
    private let cacheControlVaries: Bool

    /// - Parameters:
    ///   - original: what all answers made of the original share.
    ///   - watermark: what all answers made of the watermark's original share; nil without one.
    ///   - body: the bytes held; they are sent unless `text` is given, which is sent instead.
    ///   - outcome: the outcome of answers from this object: `memoryHit`, or `diskHit` for an open file.
    ///   - dialect: the dialect of the target.
    init(
        _ presentation: Presentation, of original: AnsweredPart, bearing watermark: AnsweredPart?,
        body: Body, text: Base64Text?, outcome: Outcome, dialect: DialectName
    ) {
        let answer = presentation.answer
        answered = (original.original, watermark?.original)
        usedBytes = (UsedBytes(of: original), watermark.map { UsedBytes(of: $0) })
        rendition = answer.rendition.key
        handedOn = answer.isOriginal ? answer.original.digest : nil
        freshness = answer.original.freshness
        originals = [answer.original.key] + (answer.watermark.map { [$0.key] } ?? [])
        tags = answer.tags
        policy = presentation.policy
        cacheControlVaries = !ClientDirectives.isConstant(freshness, policy: policy)
        var fields = presentation.fields
        if cacheControlVaries { fields.remove("Cache-Control") }
        if dialect == .next { fields.append(NextCacheWord.field, NextCacheWord.hit) }
        full = ReadyAnswer(
            status: 200, fields: fields, body: body, text: text, tag: outcome.tag | dialect.tag,
            notes: AnswerNotes(key: answer.rendition.key))
        file = full.file
        cacheStatus = Self.cacheStatus(of: outcome)
        if case .picture = presentation.content {
            renditionBody = RenditionBody(rendition: answer.rendition, body: body)
        } else {
            renditionBody = nil
        }
        entityTag = presentation.entityTag.withFieldBytes { ImmutableBytes($0) }
        let date = answer.original.lastModified ?? answer.original.freshness.responseTime
        lastModified = presentation.changed(date) ?? date
        hasOtherRules = presentation.hasOtherRules
    }

    /// The 304 for this answer. Made on first use, because few clients ask again for an answer that they hold.
    var notModified: ReadyAnswer {
        confirmation.load()
            ?? confirmation.storeIfNil(ReadyAnswer(confirming: full, repeating: AnswerFields.isRepeated))
    }

    /// Precomputed, because an answer is made for each target, and there are few outcomes.
    private static let cacheStatuses = Dictionary(
        Outcome.allCases.map { ($0, cacheStatus($0)) }, uniquingKeysWith: { first, _ in first })

    private static func cacheStatus(
        of outcome: Outcome
    ) -> (before: ImmutableBytes, after: ImmutableBytes) { cacheStatuses[outcome] ?? cacheStatus(outcome) }

    private static func cacheStatus(_ outcome: Outcome) -> (before: ImmutableBytes, after: ImmutableBytes) {
        let status = CacheStatus(.hit, timeToLive: 0, detail: outcome.rawValue).aroundTimeToLive
        return (ImmutableBytes(status.before.utf8), ImmutableBytes(status.after.utf8))
    }

    /// Bytes that a tag takes beside its text: its place in the list, and the allocator's overhead.
    private static let overheadOfTag = 48

    /// Bytes that the answer takes beside its body. Tags count, because an origin's tags may be longer than its picture.
    var overhead: Int {
        let ofTags = tags.reduce(0) { $0 + $1.utf8.count + Self.overheadOfTag }
        // Counts the 304 before it is made, because its head is no longer than the 200's.
        return 2 * full.headLength + entityTag.count + ofTags
            + originals.reduce(512) { $0 + $1.url.utf8.count }
    }

    /// True if its original or its watermark is selected.
    func isMade(of isMeant: (_ original: OriginalKey, _ tags: [String]) -> Bool) -> Bool {
        originals.contains { isMeant($0, tags) }
    }

    /// False if the request needs more than an event loop may do.
    package static func mayAnswer(_ request: borrowing RequestView) -> Bool {
        !request.head.has(.range) && !request.head.has(.ifMatch) && !request.head.has(.ifUnmodifiedSince)
    }

    /// The answer to this request; nil if the request needs more than an event loop may do. Appends the
    /// fields about this moment to `tail`.
    package func answer(
        to request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer? {
        answer(to: request, now: now, tail: &tail, cacheStatus)
    }

    /// The first answer from this object, to the request for which `answer` was found.
    package func answer(
        to request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer,
        telling answer: Answer<Body>, at dialect: DialectName
    ) -> ReadyAnswer? {
        let ready = self.answer(to: request, now: now, tail: &tail, Self.cacheStatus(of: answer.outcome))
        let timing = AnswerFields.timing(answer.times)
        if !timing.isEmpty { tail.append("Server-Timing", timing) }
        return ready.map {
            ReadyAnswer(
                $0, tag: answer.outcome.tag | dialect.tag,
                notes: AnswerNotes(key: rendition, times: answer.times))
        }
    }

    private func answer(
        to request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer,
        _ cacheStatus: (before: ImmutableBytes, after: ImmutableBytes)
    ) -> ReadyAnswer? {
        guard case .fresh(let secondsLeft) = freshness.state(at: now), policy.end.map({ now < $0 }) ?? true,
            Self.mayAnswer(request), usedBytes.original.areAllowed, usedBytes.watermark?.areAllowed ?? true
        else { return nil }
        let answer: ReadyAnswer
        if let list = request[.ifNoneMatch] {
            guard !request.head.isRepeated(.ifNoneMatch) else { return nil }
            answer = EntityTag.matches(ifNoneMatch: list, tag: entityTag.buffer) ? notModified : full
        } else if let date = request[.ifModifiedSince] {
            guard !request.head.isRepeated(.ifModifiedSince) else { return nil }
            answer = confirms(HTTPDate.parse(date, now: now), at: now) ? notModified : full
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

    /// True if a client's copy with this date is this picture; false without a date.
    private func confirms(_ date: Timestamp?, at now: Timestamp) -> Bool {
        guard let date, lastModified.seconds <= date.seconds else { return false }
        return !hasOtherRules || date <= now
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
