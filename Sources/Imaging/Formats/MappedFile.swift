// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// The original's bytes as a source for header parsers.
struct MappedFile: HeaderSource {
    let bytes: UnsafeRawBufferPointer

    var length: Int { bytes.count }

    func read(at offset: Int, count: Int) -> [UInt8] { Array(bytes.dropFirst(offset).prefix(count)) }
}
