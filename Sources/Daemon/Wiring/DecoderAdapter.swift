// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import DecoderPool
internal import DecoderProtocol
internal import ImageHeaders
internal import Kernel
internal import Logging
internal import Pipeline
internal import Recipes
internal import RequestGrammar
internal import Telemetry

/// The pipeline's decoder port over two pools of processes: decoders make pictures, inspectors read headers.
struct DecoderAdapter: DecoderPort {
    let pool: DecoderPool
    let inspectors: InspectorPool
    /// The most bytes of a rendition.
    let outputLimit: Int
    /// The most pixels of a rendition, in all its frames.
    let pixelLimit: Int
    let makeFile: @Sendable () async throws(SystemError) -> OwnedDescriptor
    /// Makes a file in memory if the disk accepts none.
    let held: HeldBytes
    let metrics: Metrics
    /// Nil in a command, which reports each picture itself.
    var logger: Logger?

    func header(of body: Body) async throws(DecodeFailure) -> ImageHeader {
        try await inspectors.header(of: body)
    }

    func description(of body: Body) async throws(DecodeFailure) -> (
        header: ImageHeader, details: ImageDetails
    ) {
        try await inspectors.description(of: body)
    }

    func details(of body: Body, header: ImageHeader) async throws(DecodeFailure) -> ImageDetails {
        try await inspectors.details(of: body, header: header)
    }

    func header(ofPage page: Int, of body: Body) async throws(DecodeFailure) -> ImageHeader? {
        try await inspectors.header(ofPage: page, of: body)
    }

    func render(
        _ job: RenderJob<Body>
    ) async throws(DecodeFailure) -> (rendition: Rendition, body: Body, timing: RenderTiming)? {
        do throws(DecoderFailure) {
            let made = try await renderSomewhere(job)
            if job.inputsMayBeAltered, await !job.inputsAreIntact { return nil }
            return made
        } catch .otherEngine {
            // The libraries were upgraded after the job was planned.
            return nil
        } catch {
            // The decoder cannot tell an altered file or a bad sector from a damaged picture, so the inputs are checked.
            if error.blamesPicture, await !job.inputsAreIntact { return nil }
            tell(of: error, job)
            throw Self.failure(error, of: job)
        }
    }

    /// Logs the picture that made its decoder crash or hang, or on which the encoder failed. The pool logs how the process ended, but
    /// from a thread that knows no request.
    private func tell(of failure: DecoderFailure, _ job: RenderJob<Body>) {
        let end: String
        switch failure {
        case .crashed(let signal): end = signal.map { "signal \($0)" } ?? "malformed answer"
        case .timedOut: end = "deadline"
        case .refused(.encoderFailed(let words)): end = "encoder: \(words)"
        default: return
        }
        logger?.warning(
            "a picture has cost its decoder",
            metadata: [
                "original": "\(job.digest.digest.hex)", "format": "\(job.header.format.name)",
                "recipe": "\(job.recipe.canonical)", "end": "\(end)",
            ])
    }

    private func renderSomewhere(
        _ job: RenderJob<Body>
    ) async throws(DecoderFailure) -> (rendition: Rendition, body: Body, timing: RenderTiming) {
        do throws(DecoderFailure) {
            return try await render(job, into: makeFile)
        } catch .refused(.cannotWrite) {
            // The disk may have become full. A rendition in memory can be sent, though not kept on disk.
            return try await render(job) { () throws(SystemError) in try held.makeInMemory() }
        }
    }

    private func render(
        _ job: RenderJob<Body>, into makeFile: () async throws(SystemError) -> OwnedDescriptor
    ) async throws(DecoderFailure) -> (rendition: Rendition, body: Body, timing: RenderTiming) {
        let order = try await decoderJob(for: job, into: makeFile)
        let start = SuspendingClock.now
        let (result, waited) = try await pool.runTellingWait(order)
        let taken = start.duration(to: .now)
        // The room is taken only now, because a decoder writes its file itself; there are few decoders.
        do throws(SystemError) { try order.output.grow(to: result.length) } catch { throw .overloaded }
        let file = try await own(result, of: order, makeFile)
        count(result, of: job)
        let rendition = Rendition(
            key: job.key, format: result.format, width: result.width, height: result.height,
            pages: result.pages, length: result.length)
        return (
            rendition, .file(file, length: result.length), RenderTiming(result, after: waited, within: taken)
        )
    }

    /// The job in the form that the decoder gets, with a new file for the result.
    private func decoderJob(
        for job: RenderJob<Body>, into makeFile: () async throws(SystemError) -> OwnedDescriptor
    ) async throws(DecoderFailure) -> DecoderJob {
        let input: OwnedDescriptor
        let output: OwnedDescriptor
        var watermark: DecoderJob.Watermark?
        do throws(SystemError) {
            input = try MemoryFile.descriptor(of: job.body)
            if let ink = job.watermark {
                watermark = DecoderJob.Watermark(
                    input: try MemoryFile.descriptor(of: ink.body), length: ink.body.length,
                    header: ink.header)
            }
            output = try await makeFile()
        } catch {
            throw error == .heldBytesSpent ? .overloaded : .unavailable("\(error)")
        }
        return DecoderJob(
            input: input, inputLength: job.body.length, header: job.header, recipe: job.recipe,
            encoders: job.engine.encoders, damaged: job.engine.damaged, engine: job.engine.library,
            output: output,
            outputLimit: outputLimit, pixelLimit: min(pixelLimit, job.pixels ?? .max),
            watermark: watermark, price: job.price, deadline: job.timeout)
    }

    private func count(_ result: Rendered, of job: RenderJob<Body>) {
        metrics.renders.add(FormatLabel(result.format))
        if job.header.format == .jpeg { metrics.jpegRenders.add(result.isPlanar ? .planar : .libvips) }
        if result.tries > 0 {
            metrics.qualitySearches.add()
            metrics.qualityTries.add(result.tries)
        }
    }

    /// The file, if the kernel proves that the decoder cannot write to it any more; otherwise a copy, because the file may be
    /// served to everybody for weeks.
    private func own(
        _ result: Rendered, of order: DecoderJob, _ makeFile: () async throws(SystemError) -> OwnedDescriptor
    ) async throws(DecoderFailure) -> OwnedDescriptor {
        let output = order.output
        if case .one = output.writers { return output }
        let copy: OwnedDescriptor
        let isPicture: Bool
        do throws(SystemError) {
            copy = try await makeFile()
            try copy.grow(to: result.length)
            let (file, length) = (copy, result.length)
            try await onOwnThread { Result { () throws(SystemError) in try output.copy(length, to: file) } }
                .get()
            // The file may have been changed after the first check.
            isPicture = try order.isPicture(result, in: copy)
        } catch {
            throw error == .heldBytesSpent ? .overloaded : .refused(.cannotWrite("\(error)"))
        }
        guard isPicture else { throw .crashed(signal: nil) }
        return copy
    }

    private static func failure(_ failure: DecoderFailure, of job: RenderJob<Body>) -> DecodeFailure {
        switch failure {
        case .refused(.damaged), .crashed: .damaged
        case .refused(.outOfMemory): .outOfMemory
        case .refused(.formatNotAllowed): .formatNotAllowed(job.header.format)
        case .refused(.codingNotRead): .codingNotRead(job.header.format)
        case .refused(.noSuchPage(let pages)): .noSuchPage(pages: pages)
        case .refused(.drawingRefused): .drawingRefused
        case .refused(.outputTooLarge(let limit)): .outputTooLarge(limit)
        case .refused(.encoderFailed): .encoderFailed
        case .refused(.unavailable), .refused(.cannotWrite), .unavailable, .killed, .otherEngine, .jailLacks:
            .unavailable
        case .timedOut: .timedOut
        case .overloaded: .overloaded(retryAfter: 1)
        case .cancelled: .cancelled
        }
    }
}

extension DecoderFailure {
    fileprivate var blamesPicture: Bool {
        switch self {
        case .refused(.damaged), .refused(.outOfMemory), .refused(.codingNotRead), .refused(.drawingRefused),
            .crashed, .timedOut:
            true
        case .refused, .killed, .overloaded, .otherEngine, .unavailable, .jailLacks, .cancelled: false
        }
    }
}

extension RenderJob<Body> {
    fileprivate var inputsMayBeAltered: Bool { body.mayBeAltered || watermark?.body.mayBeAltered == true }

    /// Reads all bytes of the inputs.
    fileprivate var inputsAreIntact: Bool {
        get async {
            await onOwnThread {
                body.isIntact(digest.digest) && watermark.map { $0.body.isIntact($0.digest.digest) } ?? true
            }
        }
    }
}

extension RenderTiming {
    /// The times of the stages as the decoder reports them, cut so that their sum does not exceed the measured time. They serve
    /// to estimate similar jobs, and a compromised decoder may report anything.
    fileprivate init(_ result: Rendered, after waited: Duration, within whole: Duration) {
        let whole = Int(clamping: whole.wholeMicroseconds)
        let queued = min(Int(clamping: waited.wholeMicroseconds), whole)
        let most = whole - queued
        let decoding = min(result.decoding, most)
        self.init(
            queued: queued, decoding: decoding, encoding: min(result.encoding, most - decoding),
            isPlanar: result.isPlanar)
    }
}

extension FormatLabel {
    fileprivate init(_ format: ImageFormat) {
        switch format {
        case .jpeg: self = .jpeg
        case .png: self = .png
        case .webp: self = .webp
        case .avif: self = .avif
        case .gif: self = .gif
        case .tiff: self = .tiff
        case .jxl: self = .jxl
        case .svg: self = .svg
        case .heic, .bmp, .ico, .pdf: self = .other
        }
    }
}
