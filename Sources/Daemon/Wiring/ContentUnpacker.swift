// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import DecoderProtocol
internal import Glibc
internal import HTTPSemantics
internal import Kernel
internal import Origin

/// Decompresses originals that an origin has compressed although Pictor did not ask for that. The decoder runs in an inspector
/// process, and its output is copied before it is trusted.
struct ContentUnpacker {
    /// Bytes copied at a time.
    private static let pieceSize = 256 << 10

    let inspectors: InspectorPool
    /// The present limit of an original, in bytes.
    let limit: @Sendable () -> Int
    let makeFile: @Sendable () async throws(SystemError) -> OwnedDescriptor

    /// The decompressed payload; the payload itself if it has no content coding, or is not coded as declared.
    /// - Throws: if the payload is malformed or too large, or no inspector is available.
    func unpack(
        _ payload: DownloadReply.Payload
    ) async throws(DownloadFailure) -> DownloadReply.Payload {
        guard let coding = payload.coding else { return payload }
        let output = try await file()
        let whole = limit()
        let limit = ContentCoding.unpackedLimit(ofPacked: payload.length, limit: whole)
        let finding: Finding
        do throws(DecoderFailure) {
            finding = try await inspectors.run(
                InspectionJob(
                    input: payload.file, inputLength: payload.length,
                    question: .unpack(coding, limit: limit), output: output, deadline: Self.deadline(limit)))
        } catch {
            throw Self.failure(error)
        }
        switch finding {
        case .unpacked(let length): return try await copy(of: output, length: length)
        case .notPacked: return payload
        case .tooLarge where limit == whole: throw .tooLarge(limit: limit)
        case .tooLarge, .damaged, .notAnImage, .header, .details, .description:
            throw .brokenReply(.contentCoding)
        case .unreadable, .cannotWrite: throw .fileWrite(SystemError("unpack", code: EIO))
        }
    }

    /// Decoders make some hundred megabytes a second; ten seconds more allow for a busy machine.
    private static func deadline(_ limit: Int) -> Duration { .seconds(10 + (limit >> 23)) }

    private func file() async throws(DownloadFailure) -> OwnedDescriptor {
        do throws(SystemError) {
            return try await makeFile()
        } catch {
            throw .withoutFile(error)
        }
    }

    /// Copies the output, because a compromised process could still change its file, but not the copy. The copy is made on a
    /// thread of its own and not on the shared ones, because the disk may hang.
    private func copy(
        of file: OwnedDescriptor, length: Int
    ) async throws(DownloadFailure) -> DownloadReply.Payload {
        let copy = try await self.file()
        return try await onOwnThread {
            Result { () throws(DownloadFailure) in try Self.copy(of: file, to: copy, length: length) }
        }.get()
    }

    private static func copy(
        of file: OwnedDescriptor, to copy: OwnedDescriptor, length: Int
    ) throws(DownloadFailure) -> DownloadReply.Payload {
        let (piece, buffer) = (memory(), memory())
        defer {
            piece.deallocate()
            buffer.deallocate()
        }
        var sink = BodySink(file: copy, buffer: buffer, limit: length)
        for offset in stride(from: 0, to: length, by: pieceSize) {
            let bytes = UnsafeMutableRawBufferPointer(rebasing: piece[..<min(pieceSize, length - offset)])
            do throws(SystemError) {
                try file.read(from: offset, into: bytes)
            } catch {
                throw .brokenReply(.contentCoding)
            }
            try sink.append(UnsafeRawBufferPointer(bytes))
        }
        return try sink.finish()
    }

    private static func memory() -> UnsafeMutableRawBufferPointer {
        .allocate(byteCount: pieceSize, alignment: 16)
    }

    private static func failure(_ failure: DecoderFailure) -> DownloadFailure {
        switch failure {
        // A crash or an endless computation means that the stream was made to cause it.
        case .crashed, .timedOut, .refused: .brokenReply(.contentCoding)
        case .unavailable(let words): .fileWrite(SystemError(words, code: EAGAIN))
        case .killed, .otherEngine, .jailLacks: .fileWrite(SystemError("unpack", code: EAGAIN))
        case .overloaded: .overloaded
        case .cancelled: .cancelled
        }
    }
}
