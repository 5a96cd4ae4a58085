// SPDX-License-Identifier: Apache-2.0

/// A source for header parsers, readable at any offset: a file, or bytes in memory.
package protocol HeaderSource {
    /// The length of the whole file in bytes.
    var length: Int { get }

    /// The bytes at `offset`, which is within the length; fewer than `count` at the end, or if the read
    /// fails.
    func read(at offset: Int, count: Int) -> [UInt8]
}

extension HeaderSource {
    /// The result of `work` with a reader of this source; nil if it throws.
    func reading<Value>(_ work: (inout HeaderReader) throws -> Value) -> Value? {
        var reader = HeaderReader(self)
        return try? work(&reader)
    }
}

/// A picture in memory, as a source.
package struct HeaderBytes: HeaderSource {
    private let bytes: [UInt8]

    /// The whole file.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var length: Int { bytes.count }

    package func read(at offset: Int, count: Int) -> [UInt8] {
        Array(bytes.dropFirst(offset).prefix(count))
    }
}
