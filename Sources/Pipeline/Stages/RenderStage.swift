// SPDX-License-Identifier: Apache-2.0

internal import ImageModel

extension Pipeline {
    /// The work of a rendition's flight.
    func render(
        _ key: RenditionKey, _ recipe: Recipe, _ arrival: Arrival<Body>, _ stamp: Stamp<Body>?,
        _ priority: LivePriority
    ) async throws(PipelineFailure) -> Making<Body> {
        // Between a request's look at the shelf and this departure, another flight may have landed.
        if let (rendition, body, near) = await shelf.rendition(key) {
            return .found(rendition, body, near: near)
        }
        try refuseKnown(.content(arrival.original.digest, pages: recipe.pages))
        try refuseKnown(.rendition(key))
        do throws(PipelineFailure) {
            guard let (rendition, body, times) = try await decode(key, recipe, arrival, stamp, priority)
            else {
                return .vanished
            }
            guard arrival.isKept else { return .made(rendition, body, times) }
            return .made(rendition, await shelf.keep(rendition, body: body), times)
        } catch {
            let isOfContent = error.reason == .decode(.damaged)
            throw remembered(
                error,
                about: isOfContent
                    ? .content(arrival.original.digest, pages: recipe.pages) : .rendition(key))
        }
    }

    /// - Returns: nil where the original's bytes are gone.
    private func decode(
        _ key: RenditionKey, _ recipe: Recipe, _ arrival: Arrival<Body>, _ stamp: Stamp<Body>?,
        _ priority: LivePriority
    ) async throws(PipelineFailure) -> (Rendition, Body, StageTimes)? {
        let price = JobPrice.bytes(header: arrival.original.header, recipe: recipe)
        let permit = try await decodes.enter(
            group: recipe.output == .format(.avif) ? "avif" : "", cost: price, priority: priority)
        defer { decodes.leave(permit) }
        // Only now, so that a long queue holds no open files.
        var bytes = arrival.body
        if bytes == nil { bytes = await shelf.body(of: arrival.original) }
        guard let bytes else { return nil }
        var watermark: RenderJob<Body>.Watermark?
        if let stamp {
            watermark = await ink(of: stamp)
            if watermark == nil { return nil }
        }
        let job = RenderJob(
            key: key, header: arrival.original.header, body: bytes, recipe: recipe, watermark: watermark,
            priority: priority.value)
        counters.renders.count()
        do throws(DecodeFailure) {
            let (rendition, body, timing) = try await decoder.render(job)
            let times = StageTimes(
                queue: Int(permit.queued) + timing.queued, decode: timing.decoding, encode: timing.encoding)
            return (rendition, body, times)
        } catch {
            throw PipelineFailure(decode: error)
        }
    }
}
