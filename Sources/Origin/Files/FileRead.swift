// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Kernel
internal import SourceURLs

/// Answers one request for a file, on a thread that may block.
struct FileRead: Sendable {
    let request: Download
    /// The absolute path of the folder.
    let folder: String
    /// The most bytes of a file.
    let limit: Int
    let makeFile: @Sendable () throws(SystemError) -> OwnedDescriptor
    let now: @Sendable () -> Timestamp

    /// How often a copy is tried, until the file does not change meanwhile.
    private static let attempts = 3
    /// Bytes that are read at a time.
    private static let piece = 64 << 10

    /// - Parameter isGivenUp: called between pieces; true ends the read.
    func answer(unless isGivenUp: () -> Bool) -> DownloadTicket.Answer {
        do throws(FailedDownload) {
            return .success(try reply(since: now(), isGivenUp))
        } catch {
            return .failure(error)
        }
    }

    private func reply(
        since began: Timestamp, _ isGivenUp: () -> Bool
    ) throws(FailedDownload) -> DownloadReply {
        let folder = try openFolder()
        for _ in 1...Self.attempts {
            do throws(OpenFolder.Obstacle) {
                let found = try folder.find(request.url.storedPath)
                let mark = FileMark(found.state, at: began)
                let fields = Self.fields(found.state, mark.tag)
                if mark.isSettled, request.ifNoneMatch == mark.tag { return reply(304, fields, began) }
                let file = try found.open()
                do throws(FailedDownload) {
                    if let payload = try copy(file, of: found.state, isGivenUp) {
                        return reply(200, fields, began, payload: payload)
                    }
                } catch {
                    throw .gone(error)
                }
            } catch {
                return try reply(to: error, began)
            }
        }
        throw failed(.brokenReply(.cutShort), "the file changes while it is read")
    }

    private func openFolder() throws(FailedDownload) -> OpenFolder {
        do throws(SystemError) { return try OpenFolder(folder) } catch {
            // The whole folder is missing, such as a disk that is not mounted.
            throw failed(error.isShortage ? .fileWrite(error) : .cannotConnect, "\(folder): \(error)")
        }
    }

    /// Copies the file; nil if the file has changed meanwhile.
    private func copy(
        _ file: OwnedDescriptor, of state: FileState, _ isGivenUp: () -> Bool
    ) throws(FailedDownload) -> DownloadReply.Payload? {
        guard state.size <= limit else { throw failed(.tooLarge(limit: limit)) }
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * Self.piece, alignment: 64)
        defer { storage.deallocate() }
        do throws(DownloadFailure) {
            var sink = BodySink(
                file: try newFile(for: state.size),
                buffer: UnsafeMutableRawBufferPointer(rebasing: storage[..<Self.piece]),
                limit: limit)
            let buffer = UnsafeMutableRawBufferPointer(rebasing: storage[Self.piece...])
            var offset = 0
            while offset < state.size {
                guard !isGivenUp() else { throw .cancelled }
                let part = UnsafeMutableRawBufferPointer(
                    rebasing: buffer.prefix(min(Self.piece, state.size - offset)))
                do throws(SystemError) { try file.read(from: offset, into: part) } catch {
                    // A file that became shorter has changed.
                    if FileState(file.raw)?.hasContents(of: state) == false { return nil }
                    throw .brokenReply(.cutShort)
                }
                try sink.append(UnsafeRawBufferPointer(part))
                offset += part.count
            }
            // The file may have been replaced or removed meanwhile.
            guard FileState(file.raw)?.hasContents(of: state) == true else { return nil }
            return try sink.finish()
        } catch {
            throw failed(error)
        }
    }

    private func newFile(for length: Int) throws(DownloadFailure) -> OwnedDescriptor {
        do throws(SystemError) {
            let file = try makeFile()
            try file.refuse(length)
            return file
        } catch {
            throw .withoutFile(error)
        }
    }
}

// MARK: Answers in the words of HTTP

extension FileRead {
    private func reply(
        to obstacle: OpenFolder.Obstacle, _ began: Timestamp
    ) throws(FailedDownload) -> DownloadReply {
        switch obstacle {
        case .missing: return reply(404, Self.fields, began, words: "no such file")
        case .refused(let words): return reply(403, Self.fields, began, words: words)
        case .failed(let error):
            throw failed(error.isShortage ? .fileWrite(error) : .brokenReply(.cutShort), "\(error)")
        case .gone(let failure): throw failure
        }
    }

    /// The fields of every answer. An answer is only valid for its request, because a missing file may exist at the next one.
    private static var fields: Fields {
        Fields([Fields.Field("Cache-Control", "max-age=0, stale-while-revalidate=0")])
    }

    private static func fields(_ state: FileState, _ tag: String) -> Fields {
        var fields = fields
        fields.append("ETag", tag)
        let modified = Timestamp(seconds: Int64(state.modified / 1_000_000_000))
        fields.append("Last-Modified", HTTPDate.format(modified))
        return fields
    }

    private func reply(
        _ status: Int, _ fields: Fields, _ began: Timestamp, payload: DownloadReply.Payload? = nil,
        words: String = ""
    ) -> DownloadReply {
        DownloadReply(
            status: status, fields: fields, payload: payload, finalURL: request.url, hops: [],
            requestTime: began, responseTime: began, timing: DownloadReply.Timing(), words: words)
    }

    private func failed(_ failure: DownloadFailure, _ words: String = "") -> FailedDownload {
        FailedDownload(failure, at: request.url, words: words)
    }
}
