// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Pipeline
import Recipes
import RequestGrammar
import Synchronization

/// Writes into the rendition what it was made of, and records its jobs.
final class ScriptedDecoder: DecoderPort {
    enum Question { case header, description, details, page }

    private struct State {
        var questions: [Question] = []
        var jobs: [RenderJob<TestBody>] = []
        var failure: DecodeFailure?
        var failingFormat: ImageFormat?
        var cancelled = 0
        var library: String?
        var shrinks = false
        var unreadPages: [Int: DecodeFailure] = [:]
    }

    private let state = Mutex(State())
    /// Every job waits at this gate.
    let gate: Gate

    init(gate: Gate) { self.gate = gate }

    /// Fails all jobs from now on; nil to succeed again.
    /// - Parameter format: the only format whose writing fails; nil for all.
    func fails(_ failure: DecodeFailure?, writing format: ImageFormat? = nil) {
        state.withLock { ($0.failure, $0.failingFormat) = (failure, format) }
    }

    /// From now on jobs for other engines are not made.
    func becomes(_ library: String) { state.withLock { $0.library = library } }

    /// From now on this page cannot be read, or with `.codingNotRead` its samples cannot.
    func fails(_ failure: DecodeFailure, onPage page: Int) {
        state.withLock { $0.unreadPages[page] = failure }
    }

    /// From now on renditions have one byte, so that none is longer than its original.
    func shrinks() { state.withLock { $0.shrinks = true } }

    var jobs: [RenderJob<TestBody>] { state.withLock(\.jobs) }
    var cancelled: Int { state.withLock(\.cancelled) }

    /// The questions to the inspector, in order.
    var questions: [Question] { state.withLock(\.questions) }

    func header(of body: TestBody) async throws(DecodeFailure) -> ImageHeader {
        try look(at: body, .header)
    }

    private func look(at body: TestBody, _ question: Question) throws(DecodeFailure) -> ImageHeader {
        state.withLock { $0.questions.append(question) }
        guard let header = body.header else { throw .notAnImage }
        return header
    }

    func description(of body: TestBody) async throws(DecodeFailure) -> (
        header: ImageHeader, details: ImageDetails
    ) {
        (try look(at: body, .description), ImageDetails())
    }

    func details(of body: TestBody, header: ImageHeader) async throws(DecodeFailure) -> ImageDetails {
        state.withLock { $0.questions.append(.details) }
        return ImageDetails()
    }

    /// Each page is one pixel wider than the one before.
    func header(ofPage page: Int, of body: TestBody) async throws(DecodeFailure) -> ImageHeader? {
        var header = try look(at: body, .page)
        (header.width, header.pages) = (header.width + page, 1)
        let failure = state.withLock { $0.unreadPages[page] }
        if failure == .damaged { return nil }
        header.isDecodable = failure == nil
        return header
    }

    func render(_ job: RenderJob<TestBody>) async throws(DecodeFailure) -> (
        rendition: Rendition, body: TestBody, timing: RenderTiming
    )? {
        state.withLock { $0.jobs.append(job) }
        guard await gate.pass() else {
            state.withLock { $0.cancelled += 1 }
            throw .cancelled
        }
        if let library = state.withLock(\.library), job.engine.library != library { return nil }
        let format = job.recipe.resolvedOutput(for: job.header)
        let failure = state.withLock { state in
            state.failingFormat.map { $0 == format } ?? true ? state.failure : nil
        }
        if let failure { throw failure }
        let content = state.withLock(\.shrinks) ? "s" : "\(job.body.content) as \(job.recipe.canonical)"
        let body = TestBody(content: content)
        let size = Geometry.plan(upright: job.header.upright, recipe: job.recipe).canvas
        let rendition = Rendition(
            key: job.key, format: job.recipe.resolvedOutput(for: job.header), width: size.width,
            height: size.height, pages: 1, length: body.content.utf8.count)
        return (rendition, body, RenderTiming(queued: 1, decoding: 20, encoding: 300))
    }
}
