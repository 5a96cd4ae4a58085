// SPDX-License-Identifier: Apache-2.0

internal import CBrotli
internal import CZlib
internal import CZstd

/// A decoder of one content coding that is fed piece by piece.
///
/// **Isolation:** the process's only thread.
final class StreamDecoder {
    enum Form {
        /// RFC 1952, RFC 1950 and RFC 1951.
        case gzip, zlib, deflate
        /// RFC 7932 and RFC 8878.
        case brotli, zstd
    }

    enum Progress {
        /// More input is needed, or there is more output than there was room for.
        case more
        /// A gzip member, a Zstandard frame, or a stream of another form is complete.
        case end
        case damaged
    }

    /// The result of one call.
    struct Step {
        let progress: Progress
        /// Bytes of the input that were read.
        let used: Int
        /// Bytes of the output that were written.
        let made: Int
    }

    private enum State {
        /// At a fixed address, because zlib's own state points back to it.
        case zlib(UnsafeMutablePointer<z_stream>)
        case brotli(OpaquePointer)
        case zstd(OpaquePointer)
    }

    private let state: State

    /// Nil if memory is missing.
    init?(_ form: Form) {
        let state: State? =
            switch form {
            case .gzip: Self.zlib(windowBits: 31)
            case .zlib: Self.zlib(windowBits: 15)
            case .deflate: Self.zlib(windowBits: -15)
            case .brotli: cbrotli_create().map { .brotli($0) }
            case .zstd: czstd_create().map { .zstd($0) }
            }
        guard let state else { return nil }
        self.state = state
    }

    /// - Parameter windowBits: as in zlib.h; 31 reads gzip, 15 zlib, -15 neither.
    private static func zlib(windowBits: Int32) -> State? {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard czlib_inflate_init(stream, windowBits) == Z_OK else {
            stream.deallocate()
            return nil
        }
        return .zlib(stream)
    }

    deinit {
        switch state {
        case .zlib(let stream):
            inflateEnd(stream)
            stream.deallocate()
        case .brotli(let decoder): cbrotli_destroy(decoder)
        case .zstd(let decoder): czstd_destroy(decoder)
        }
    }

    /// Prepares for the next gzip member. Zstandard's decoder is ready for the next frame by itself.
    func restart() {
        if case .zlib(let stream) = state { inflateReset(stream) }
    }

    /// Decodes as far as input and room for output allow.
    func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Step {
        var (used, made) = (0, 0)
        let code: Int32
        switch state {
        case .zlib(let stream): return Self.inflate(stream, input, into: output)
        case .brotli(let decoder):
            code = cbrotli_step(
                decoder, input.baseAddress, input.count, &used, output.baseAddress, output.count, &made)
        case .zstd(let decoder):
            code = czstd_step(
                decoder, input.baseAddress, input.count, &used, output.baseAddress, output.count, &made)
        }
        let progress: Progress = code < 0 ? .damaged : code > 0 ? .end : .more
        return Step(progress: progress, used: used, made: made)
    }

    private static func inflate(
        _ stream: UnsafeMutablePointer<z_stream>, _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) -> Step {
        let bytes = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes)
        stream.pointee.avail_in = UInt32(clamping: input.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(clamping: output.count)
        let progress: Progress =
            switch CZlib.inflate(stream, Z_NO_FLUSH) {
            case Z_STREAM_END: .end
            case Z_OK: .more
            // The input is used up.
            case Z_BUF_ERROR where stream.pointee.avail_in == 0: .more
            default: .damaged
            }
        return Step(
            progress: progress, used: input.count - Int(stream.pointee.avail_in),
            made: output.count - Int(stream.pointee.avail_out))
    }
}
