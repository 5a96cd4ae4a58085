// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import ImageModel
internal import Kernel
internal import Pipeline
internal import Telemetry

/// The pipeline's decoder is two pools of processes: decoders make pictures, inspectors read headers.
struct ProcessDecoder: DecoderPort {
    let pool: DecoderPool
    let inspectors: InspectorPool
    let timeout: Duration
    /// Bytes.
    let outputLimit: Int
    /// Of a rendition, in all its frames.
    let pixelLimit: Int
    let makeFile: @Sendable () throws(SystemError) -> OwnedDescriptor
    let metrics: Metrics

    func header(of body: Body) async throws(DecodeFailure) -> ImageHeader {
        try await inspectors.header(of: body)
    }

    func details(of body: Body, header: ImageHeader) async -> ImageDetails {
        await inspectors.details(of: body, header: header)
    }

    func render(
        _ job: RenderJob<Body>
    ) async throws(DecodeFailure) -> (rendition: Rendition, body: Body, timing: RenderTiming) {
        do throws(DecoderFailure) {
            return try await render(job, into: makeFile)
        } catch .refused(.cannotWrite) {
            // The disk may have become full since; memory costs the keeping and not the answer.
            do throws(DecoderFailure) {
                return try await render(job, into: MemoryFile.empty)
            } catch {
                throw failure(error, of: job)
            }
        } catch {
            throw failure(error, of: job)
        }
    }

    private func render(
        _ job: RenderJob<Body>, into makeFile: () throws(SystemError) -> OwnedDescriptor
    ) async throws(DecoderFailure) -> (rendition: Rendition, body: Body, timing: RenderTiming) {
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
            output = try makeFile()
        } catch {
            throw .unavailable("\(error)")
        }
        let result = try await pool.run(
            DecoderJob(
                input: input, inputLength: job.body.length, header: job.header, recipe: job.recipe,
                output: output, outputLimit: outputLimit, pixelLimit: pixelLimit, watermark: watermark,
                price: job.price, deadline: timeout))
        metrics.renders.add(FormatLabel(result.format))
        if result.tries > 0 {
            metrics.qualitySearches.add()
            metrics.qualityTries.add(result.tries)
        }
        let rendition = Rendition(
            key: job.key, format: result.format, width: result.width, height: result.height,
            pages: result.pages, length: result.length)
        return (
            rendition, .file(output, length: result.length),
            RenderTiming(decoding: result.decoding, encoding: result.encoding)
        )
    }

    private func failure(_ failure: DecoderFailure, of job: RenderJob<Body>) -> DecodeFailure {
        switch failure {
        // A bad sector looks like a damaged picture to a decoder; it is told to the disk cache, which drops the file.
        case .refused(.damaged), .crashed: job.body.canBeRead ? .damaged : .unavailable
        case .refused(.formatNotAllowed): .formatNotAllowed(job.header.format)
        case .refused(.outputTooLarge(let limit)): .outputTooLarge(limit: limit)
        case .refused(.unavailable), .refused(.cannotWrite), .unavailable, .killed, .jailLacks: .unavailable
        case .timedOut: .timedOut
        case .overloaded: .overloaded(retryAfter: 1)
        case .cancelled: .cancelled
        }
    }
}

extension Body {
    /// Reads a file once through. Where that fails, whoever answers for the file is told.
    var canBeRead: Bool {
        guard case .file(let file, let length) = self else { return true }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { piece.deallocate() }
        for offset in stride(from: 0, to: length, by: piece.count) {
            let count = min(piece.count, length - offset)
            do throws(SystemError) {
                try file.read(from: offset, into: UnsafeMutableRawBufferPointer(rebasing: piece[..<count]))
            } catch {
                return false
            }
        }
        return true
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
        case .heic, .tiff, .svg, .jxl, .bmp, .ico, .pdf: self = .other
        }
    }
}
