// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// A list that is compressed by gzip (RFC 1952), as sitemaps are often served.
enum GzipList {
    /// The most bytes that are decompressed. A sitemap may have 50 MB (sitemaps.org), but a kilobyte of gzip can become a
    /// megabyte.
    static let limit = 64 << 20
    /// Bytes decompressed at a time.
    private static let piece = 256 << 10

    /// True if the bytes begin like a gzip file.
    static func isGzip(_ bytes: [UInt8]) -> Bool { isMember(bytes[...]) }

    private static func isMember(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    /// The bytes of all members. Bytes after the last one are ignored, as gzip(1) does.
    /// - Throws: if it is damaged or cut off, or longer than the limit.
    static func decompressed(_ bytes: [UInt8], limit: Int = limit) throws(WarmList.Mistake) -> [UInt8] {
        var stream = z_stream()
        // 31 makes zlib accept only gzip.
        guard czlib_inflate_init(&stream, 31) == Z_OK else { throw .damaged }
        defer { inflateEnd(&stream) }
        var (output, rest) = ([UInt8](), bytes[...])
        // Cannot trap: the count is a constant.
        var buffer = [UInt8](repeating: 0, count: piece)
        while isMember(rest) {
            let used = try member(rest, &stream, &buffer, into: &output, limit)
            rest = rest.dropFirst(used)
            inflateReset(&stream)
        }
        return output
    }

    /// - Returns: how many compressed bytes the member has.
    private static func member(
        _ compressed: ArraySlice<UInt8>, _ stream: inout z_stream, _ buffer: inout [UInt8],
        into output: inout [UInt8], _ limit: Int
    ) throws(WarmList.Mistake) -> Int {
        var used = 0
        while true {
            // At most `piece` bytes, because zlib counts in 32 bits.
            var input = Array(compressed.dropFirst(used).prefix(piece))
            let (code, taken, made) = input.withUnsafeMutableBufferPointer { input in
                buffer.withUnsafeMutableBufferPointer { buffer in
                    (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(clamping: input.count))
                    (stream.next_out, stream.avail_out) = (buffer.baseAddress, UInt32(clamping: buffer.count))
                    let code = inflate(&stream, Z_NO_FLUSH)
                    return (
                        code, input.count - Int(stream.avail_in), buffer.count - Int(stream.avail_out)
                    )
                }
            }
            used += taken
            guard made <= limit - output.count else { throw .tooLong(limit: limit) }
            output += buffer.prefix(made)
            switch code {
            case Z_STREAM_END: return used
            // No byte was consumed and none produced, so the file ends too early.
            case Z_OK, Z_BUF_ERROR: guard taken + made > 0 else { throw .damaged }
            default: throw .damaged
            }
        }
    }
}
