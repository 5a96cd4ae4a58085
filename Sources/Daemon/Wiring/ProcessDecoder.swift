// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DecoderPool
internal import Glibc
internal import ImageModel
internal import Kernel
internal import Pipeline
internal import Telemetry

/// The pipeline's decoder is the pool of processes; the header is read right here, by the pure parser.
struct ProcessDecoder: DecoderPort {
    let pool: DecoderPool
    let timeout: Duration
    /// Bytes.
    let outputLimit: Int
    /// Of a rendition, in all its frames.
    let pixelLimit: Int
    let makeFile: @Sendable () throws(SystemError) -> OwnedDescriptor
    let metrics: Metrics

    func header(of body: Body) async throws(DecodeFailure) -> ImageHeader {
        do throws(ImageHeaderError) {
            return try ImageHeader.parse(BodySource(body: body))
        } catch {
            switch error {
            case .notAnImage: throw .notAnImage
            case .damaged: throw .damaged
            }
        }
    }

    func details(of body: Body, header: ImageHeader) async -> ImageDetails {
        ImageDetails.parse(BodySource(body: body), header: header)
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
        case .refused(.unavailable), .refused(.cannotWrite), .unavailable: .unavailable
        case .timedOut: .timedOut
        case .overloaded: .overloaded(retryAfter: 1)
        case .cancelled: .cancelled
        }
    }
}

extension Body {
    /// Reads a file once through. Where that fails, whoever answers for the file is told.
    fileprivate var canBeRead: Bool {
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

/// A body as the header parser reads it.
private struct BodySource: HeaderSource {
    let body: Body

    var length: Int { body.length }

    func read(at offset: Int, count: Int) -> [UInt8] {
        let count = max(0, min(count, body.length - offset))
        switch body {
        case .bytes(let bytes): return Array(bytes.buffer[offset..<offset + count])
        case .file(let descriptor, _):
            return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = max(0, pread(descriptor.raw, buffer.baseAddress, count, off_t(offset)))
            }
        }
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
