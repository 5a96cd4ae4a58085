// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Kernel

/// The picture in an exchange's answer, from the head that announces it to the last byte. It outlives a hop, because the rest of
/// an incomplete picture comes with the next one (`IncompleteBody`).
struct AnswerBody: ~Copyable {
    private var sink: BodySink?
    /// The announced length in bytes; nil if none was announced.
    var total: Int?
    private var coding: ContentCoding?

    /// The number of bytes received; nil before the body begins.
    var count: Int? {
        switch sink {
        case .some(let sink): sink.count
        case .none: nil
        }
    }

    /// True for a body whose length was not announced.
    var isOpenEnded: Bool { count != nil && total == nil }

    /// Begins a body, replacing an earlier one.
    /// - Parameters:
    ///   - fields: the fields of the head.
    ///   - length: the announced length in bytes.
    ///   - limit: the most bytes of a body.
    /// - Throws: if its coding is not supported, it is too large, or there is no file for it.
    mutating func open(
        _ fields: Fields, length: Int?, limit: Int, buffer: UnsafeMutableRawBufferPointer,
        makeFile: () throws(SystemError) -> OwnedDescriptor
    ) throws(DownloadFailure) {
        do throws(ContentCoding.UnsupportedCoding) {
            coding = try ContentCoding.applied(by: fields)
        } catch {
            throw .brokenReply(.contentCoding)
        }
        total = length
        if let total, total > limit { throw .tooLarge(limit: limit) }
        do throws(SystemError) {
            let file = try makeFile()
            if let total { try file.refuse(total) }
            sink = BodySink(file: file, buffer: buffer, limit: limit)
        } catch {
            throw .withoutFile(error)
        }
    }

    /// Takes the next bytes; does nothing before a body.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DownloadFailure) {
        try sink?.append(bytes)
    }

    /// Drops the bytes received.
    mutating func drop() { sink = nil }

    /// Returns the complete body.
    /// - Throws: if there is none, or if its length is not the announced one.
    mutating func finish() throws(DownloadFailure) -> DownloadReply.Payload {
        guard let sink = sink.take() else { throw .brokenReply(.malformed) }
        guard sink.count == total ?? sink.count else { throw .brokenReply(.cutShort) }
        return try sink.finish(coding: coding)
    }
}
