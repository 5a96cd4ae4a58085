// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import DecoderProtocol
internal import ImageHeaders
internal import Kernel
internal import Pipeline
internal import Recipes

/// The daemon's jobs for the inspector processes. The daemon itself does not parse pictures.
extension WorkerPool where Job == InspectionJob {
    /// Most headers take microseconds, and the largest ones that the parsers accept a fraction of a second. If a job takes longer
    /// than this, the machine or the process hangs.
    private static var deadline: Duration { .seconds(3) }

    func header(of body: Body) async throws(DecodeFailure) -> ImageHeader {
        try await look(at: body, .header).header
    }

    func description(of body: Body) async throws(DecodeFailure) -> (
        header: ImageHeader, details: ImageDetails
    ) {
        let (header, details) = try await look(at: body, .description)
        return (header, details ?? ImageDetails(header))
    }

    /// The header of one page of a TIFF; nil if the page cannot be read.
    /// - Throws: a failure of this machine.
    func header(ofPage page: Int, of body: Body) async throws(DecodeFailure) -> ImageHeader? {
        do throws(DecodeFailure) {
            return try await look(at: body, .page(page)).header
        } catch {
            if error == .damaged || error == .notAnImage { return nil }
            throw error
        }
    }

    private func look(
        at body: Body, _ question: InspectorQuestion
    ) async throws(DecodeFailure) -> (header: ImageHeader, details: ImageDetails?) {
        let finding: Finding
        do throws(DecoderFailure) {
            finding = try await ask(question, of: body)
        } catch {
            throw Self.failure(error)
        }
        switch finding {
        case .header(let header): return (header, nil)
        case .description(let header, let details): return (header, details)
        case .notAnImage: throw .notAnImage
        case .damaged, .details, .unpacked, .notPacked, .tooLarge: throw .damaged
        case .unreadable, .cannotWrite: throw .unavailable
        }
    }

    /// The details of a picture; only those of the header if the inspector gives none.
    /// - Throws: a failure of this machine, which says nothing about the picture.
    func details(of body: Body, header: ImageHeader) async throws(DecodeFailure) -> ImageDetails {
        do throws(DecoderFailure) {
            switch try await ask(.details(header), of: body) {
            case .details(let details): return details
            case .unreadable, .cannotWrite: throw .unavailable("the inspector could not read")
            default: break
            }
        } catch {
            let failure = Self.failure(error)
            if failure != .damaged { throw failure }
        }
        return ImageDetails(header)
    }

    private func ask(
        _ question: InspectorQuestion, of body: Body
    ) async throws(DecoderFailure) -> Finding {
        let input: OwnedDescriptor
        do throws(SystemError) {
            input = try MemoryFile.descriptor(of: body)
        } catch {
            throw .unavailable("\(error)")
        }
        let finding = try await run(
            InspectionJob(
                input: input, inputLength: body.length, question: question, deadline: Self.deadline))
        // The inspector met a bad sector or a truncated file. Reading the file here as well makes the disk cache drop it. Reading
        // a bad sector may take seconds.
        if finding == .unreadable { _ = await onOwnThread { body.canBeRead } }
        return finding
    }

    private static func failure(_ failure: DecoderFailure) -> DecodeFailure {
        switch failure {
        // A crash, an endless computation, or a second hang although there was time means that the picture was made to cause it.
        case .crashed, .timedOut, .refused(.damaged), .refused(.formatNotAllowed), .refused(.codingNotRead),
            .refused(.noSuchPage), .refused(.drawingRefused), .refused(.outputTooLarge),
            .refused(.outOfMemory):
            .damaged
        case .refused(.unavailable), .refused(.encoderFailed), .refused(.cannotWrite), .unavailable, .killed,
            .otherEngine, .jailLacks:
            .unavailable
        case .overloaded: .overloaded(retryAfter: 1)
        case .cancelled: .cancelled
        }
    }
}
