// SPDX-License-Identifier: Apache-2.0

/// A number of bytes, written with a unit: `512KiB`, `64MiB`, `10GiB`, or plain bytes.
package struct ByteCount: SettingValue, Comparable {
    /// Bytes; not negative.
    package var bytes: Int

    /// `bytes` must not be negative.
    package init(_ bytes: Int) { self.bytes = bytes }

    private static let units: [(name: String, size: Int)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    package init?(settingText: String) {
        let unit = Self.units.first { settingText.hasSuffix($0.name) } ?? ("", 1)
        let digits = settingText.dropLast(unit.name.count).trimming(while: \.isWhitespace)
        guard let number = Int(digits), number >= 0 else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit.size)
        // At most an exbibyte: a larger size is a typing mistake, and would overflow later sums.
        guard !overflow, bytes <= 1 << 60 else { return nil }
        self.bytes = bytes
    }

    package var settingText: String {
        guard bytes > 0, let unit = Self.units.first(where: { bytes % $0.size == 0 }) else {
            return "\(bytes)B"
        }
        return "\(bytes / unit.size)\(unit.name)"
    }

    package static var settingForm: String { "bytes, as 512KiB, 64MiB or 10GiB" }

    package static func < (a: ByteCount, b: ByteCount) -> Bool { a.bytes < b.bytes }
}
