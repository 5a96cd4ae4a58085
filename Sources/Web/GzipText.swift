// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// Text as one gzip member (RFC 1952), made by zlib.
enum GzipText {
    /// Nil if zlib cannot get memory.
    static func pack(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var stream = z_stream()
        guard czlib_deflate_init(&stream, 9, 31) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        let bound = deflateBound(&stream, uLong(clamping: bytes.count))
        var packed = [UInt8](repeating: 0, count: max(1, Int(clamping: bound)))
        let written = packed.withUnsafeMutableBufferPointer { output -> Int? in
            stream.next_in = UnsafeMutablePointer(
                mutating: bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
            stream.avail_in = UInt32(clamping: bytes.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(clamping: output.count)
            guard deflate(&stream, Z_FINISH) == Z_STREAM_END else { return nil }
            return Int(clamping: stream.total_out)
        }
        return written.map { Array(packed.prefix($0)) }
    }
}
