// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// Bytes as servers compress them.
package enum Compression {
    package enum Form: Int32, Sendable, CaseIterable {
        case gzip = 31
        case zlib = 15
        case raw = -15
    }

    package static func compress(_ bytes: [UInt8], as form: Form) -> [UInt8] {
        var stream = z_stream()
        let code = deflateInit2_(
            &stream, 9, Z_DEFLATED, form.rawValue, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK, "zlib")
        defer { deflateEnd(&stream) }
        var input = bytes
        return input.withUnsafeMutableBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: Int(deflateBound(&stream, UInt(input.count)))) {
                output, count in
                (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
                (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
                precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib")
                count = output.count - Int(stream.avail_out)
            }
        }
    }
}
