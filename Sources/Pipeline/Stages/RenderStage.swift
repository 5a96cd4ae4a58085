// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes
internal import Traces

extension Pipeline {
    /// The work of a rendition's in-flight request.
    ///
    /// A rendition is always made from its original, and never from a larger rendition. A second lossy
    /// encoding would show, and a resize of a resize is another filter. The renditions at hand also differ by
    /// node and hour, while a key must mean the same pixels everywhere, because it is the entity tag. The
    /// gain would be small: shrink-on-load reads only as much of a JPEG or a WebP as the size needs.
    /// - Throws: the reason for no rendition, which is remembered.
    func render(
        _ attempt: RenderAttempt<Body>
    ) async throws(PipelineFailure) -> RenditionResult<Body> {
        let (planned, arrival) = (attempt.planned, attempt.arrival)
        let key = planned.key
        // Another in-flight request may have completed between the request's look-up and this start.
        if let (rendition, body, level) = await cache.rendition(key) {
            return .found(rendition, body, level)
        }
        if let failure = knownFailure(of: planned) { throw failure }
        var found = await firstLook(key, for: arrival)
        if let (rendition, body) = found { return .found(rendition, body, .shared) }
        let isShared = arrival.isKept && cache.sharesRenditions && arrival.look != .forbidden
        let lease = try await turn(isShared ? .rendition(key) : nil) {
            found = await sharedRendition(key, for: arrival)
            return found != nil
        }
        if let (rendition, body) = found { return .found(rendition, body, .shared) }
        return try await renderNow(attempt, under: lease)
    }

    /// Makes the rendition and keeps it; it is this node's turn.
    private func renderNow(
        _ attempt: RenderAttempt<Body>, under lease: Lease?
    ) async throws(PipelineFailure) -> RenditionResult<Body> {
        let (planned, arrival) = (attempt.planned, attempt.arrival)
        do throws(PipelineFailure) {
            guard let (rendition, body, times) = try await decode(attempt) else {
                end(lease, with: .abandoned)
                return .vanished
            }
            guard arrival.isKept else { return .made(rendition, body, times) }
            let original = arrival.original
            let kept = await unlessPurged(arrival) {
                await traced("keep") { _ in
                    await cache.keep(rendition, of: original, bearing: arrival.watermark, body: body)
                }
            }
            if kept == nil {
                end(lease, with: .unshared)
            } else {
                end(lease) { [cache, key = planned.key] in await cache.isWritten(key, of: original.digest) }
            }
            return .made(rendition, kept ?? body, times)
        } catch {
            let failure = remembered(
                error, about: subject(of: error, planned, hasWatermark: attempt.watermark != nil),
                of: arrival.original.key, since: arrival.epoch)
            end(lease, with: failure)
            throw failure
        }
    }

    /// What a failed job says something about: all renditions of the original's content, all that take as long, or this rendition
    /// alone.
    private func subject(
        of failure: PipelineFailure, _ planned: PlannedRendition, hasWatermark: Bool
    ) -> FailureMemory.Subject {
        // The fault may be the watermark's. Clients choose watermarks, and must not spoil the original for others.
        if hasWatermark { return .rendition(planned.key) }
        let (original, recipe, time) = (planned.original, planned.recipe, time(of: planned))
        return switch failure.reason.row.memory {
        case .known(_, about: .content): .content(original.digest, page: recipe.page, pages: recipe.pages)
        case .known(_, about: .longJobs) where isLong(time):
            .time(original.digest, time.kind, magnitude: time.magnitude)
        case .known, .never, .byAnswer: .rendition(planned.key)
        }
    }

    private func time(of planned: PlannedRendition) -> JobTime {
        JobTime(
            header: planned.original.header, recipe: planned.recipe, encoders: planned.engine.encoders)
    }

    private func isLong(_ time: JobTime) -> Bool {
        times.microseconds(time) > configuration.decodes.long
    }

    /// The remembered failure of a job of this kind that was no larger and missed its deadline; nil for none.
    func knownTooLong(_ planned: PlannedRendition) -> PipelineFailure? {
        let (time, now) = (time(of: planned), environment.ticks())
        guard isLong(time) else { return nil }
        for magnitude in 1...max(1, time.magnitude) {
            let subject = FailureMemory.Subject.time(planned.original.digest, time.kind, magnitude: magnitude)
            if let failure = failures.failure(about: subject, now: now) { return failure }
        }
        return nil
    }

    /// - Returns: nil if the original's bytes are gone.
    private func decode(
        _ attempt: RenderAttempt<Body>
    ) async throws(PipelineFailure) -> (Rendition, Body, StageTimes)? {
        let planned = attempt.planned
        let price = JobPrice.bytes(
            header: attempt.arrival.original.header, recipe: planned.recipe,
            watermark: attempt.watermark?.header, encoders: planned.engine.encoders)
        let time = time(of: planned)
        let permit = try await permit(for: attempt, price: price, time)
        defer { decodes.leave(permit) }
        // Opened only now, after the wait, so that a long queue holds no open files.
        guard let job = await job(for: attempt, price: price, time) else { return nil }
        counters.renders.count()
        let started = environment.ticks()
        do throws(DecodeFailure) {
            let made = try await traced("render") { span throws(DecodeFailure) in
                let began = span?.now ?? 0
                let made = try await decoder.render(job)
                if let span, let (rendition, _, timing) = made {
                    span.record(timing, of: rendition, since: began)
                }
                return made
            }
            guard let (rendition, body, timing) = made else { return nil }
            times.learn(time, taken: Int64(clamping: timing.decoding) &+ Int64(clamping: timing.encoding))
            var stages = StageTimes(
                queue: Int(permit.queued) + timing.queued, decode: timing.decoding, encode: timing.encoding)
            stages.isPlanar = timing.isPlanar
            return (rendition, body, stages)
        } catch {
            let taken = environment.ticks() - started
            if error == .timedOut { times.learn(time, taken: taken) }
            // A process that failed has not reported how long its stages took.
            var failure = PipelineFailure(decode: error)
                .after(StageTimes(queue: Int(permit.queued), decode: Int(taken)))
            // A job that is stopped at its deadline counts as overload if the machine was too busy for it.
            failure.hasHadWork = job.timeout <= .microseconds(taken)
            throw failure
        }
    }

    /// - Returns: nil if the original's or the watermark's bytes are gone.
    private func job(
        for attempt: RenderAttempt<Body>, price: Int, _ time: JobTime
    ) async -> RenderJob<Body>? {
        guard let bytes = await body(of: attempt.arrival) else { return nil }
        var mark: RenderJob<Body>.Picture?
        if let watermark = attempt.watermark {
            mark = await picture(of: watermark)
            if mark == nil { return nil }
        }
        let (planned, original) = (attempt.planned, attempt.arrival.original)
        let recipe = planned.recipe
        return RenderJob(
            key: planned.key, engine: planned.engine,
            original: RenderJob.Picture(digest: original.digest, header: original.header, body: bytes),
            recipe: recipe, watermark: mark, price: price,
            pixels: JobPrice.pixels(header: original.header, recipe: recipe),
            timeout: deadline(of: time), priority: attempt.priority.value)
    }

    /// How long a decoder may take for the job. A search may make all of its tries, by the time that such jobs took recently, but no
    /// job takes more than twice as long as jobs without a search.
    private func deadline(of time: JobTime) -> Duration {
        let usual = configuration.renderTimeout
        return usual + min(.microseconds(times.longestSearch(time)), usual)
    }

    private func permit(
        for attempt: RenderAttempt<Body>, price: Int, _ time: JobTime
    ) async throws(PipelineFailure) -> Admission.Permit {
        let started = environment.ticks()
        do throws(PipelineFailure) {
            return try await traced("decode queue") { _ throws(PipelineFailure) in
                try await decodes.enter(
                    group: attempt.planned.recipe.mayBecomeAVIF ? "avif" : "", cost: price,
                    time: times.microseconds(time), priority: attempt.priority,
                    client: Asker(attempt.client))
            }
        } catch {
            throw error.after(StageTimes(queue: Int(environment.ticks() - started)))
        }
    }
}

extension RequestSpan {
    /// Records the decoder's stages, which follow one another, as spans.
    fileprivate func record(_ timing: RenderTiming, of rendition: Rendition, since start: UInt64) {
        func after(_ microseconds: Int) -> UInt64 { start &+ UInt64(clamping: microseconds) &* 1000 }
        record("decode", from: after(timing.queued), microseconds: timing.decoding)
        record("encode", from: after(timing.queued &+ timing.decoding), microseconds: timing.encoding)
        note("pictor.lane", timing.isPlanar ? "planar" : "libvips")
        note("pictor.format", rendition.format.name)
        note("pictor.bytes", rendition.length)
    }
}
