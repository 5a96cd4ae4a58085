// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import Glibc
internal import Recipes

/// The destination of an encoder's bytes: the job's output, or memory if several files are made and one of them
/// is chosen.
final class Sink {
    var sink = cvips_sink()

    /// - Parameter limit: the most bytes that are accepted.
    init(descriptor: Int32, limit: Int) {
        sink.descriptor = descriptor
        sink.limit = Int64(limit)
    }

    init(inMemory limit: Int) {
        sink.collects = true
        sink.limit = Int64(limit)
    }

    deinit { cvips_sink_clear(&sink) }

    var length: Int { Int(sink.length) }

    /// The bytes in memory, valid as long as the sink lives.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: sink.bytes, count: length) }

    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        cvips_sink_write(&sink, bytes.baseAddress, bytes.count) == 0
    }

    func write(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { write($0) } }

    /// The reason why a file was not written.
    /// - Parameters:
    ///   - words: the encoder's message, for failures outside the sink.
    ///   - limit: the job's limit in bytes.
    func failure(_ words: String = "", limit: Int) -> ImagingFailure {
        if sink.over { return .outputTooLarge(.bytes(limit)) }
        // ENOMEM from a descriptor is the file system's, which may do better with another file.
        let isOfMemory = sink.collects && sink.error == ENOMEM
        if isOfMemory || sink.error == 0 && ImagingFailure.tellsOfMemory(words) { return .outOfMemory(words) }
        // Without an error of the output, the encoder has failed by itself.
        if sink.error == 0, !words.isEmpty { return .encoderFailed(words) }
        return .cannotWrite("write: errno \(sink.error)")
    }
}
