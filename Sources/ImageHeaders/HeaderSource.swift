// SPDX-License-Identifier: Apache-2.0

/// Where a header is read from: a file or bytes in memory, at any offset.
package protocol HeaderSource {
    /// Bytes in all.
    var length: Int { get }

    /// The bytes at `offset`, which is within the length; fewer than `count` at the end, or where reading
    /// fails.
    func read(at offset: Int, count: Int) -> [UInt8]
}

/// A picture in memory.
package struct HeaderBytes: HeaderSource {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var length: Int { bytes.count }

    package func read(at offset: Int, count: Int) -> [UInt8] {
        Array(bytes.dropFirst(offset).prefix(count))
    }
}
