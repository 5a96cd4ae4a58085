// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Ports that may be dialled: `80`, `443`, `1024-65535`.
///
/// A range leaves out the "bad ports" that browsers block (Fetch standard, §2.9), where servers of other
/// protocols might take an HTTP request for commands. A bad port that is listed singly is open.
package struct PortList: Sendable, Hashable {
    private var ranges: [ClosedRange<UInt16>] = []

    /// The two ports of the web, and those that a server of any user may have. The others below 1024 belong
    /// to services (mail, shells, file shares) that an HTTP request could reach.
    package static let web = PortList([80...80, 443...443, 1024...65535])

    /// Takes the ranges without checking them.
    package init(_ ranges: [ClosedRange<UInt16>]) { self.ranges = ranges }

    /// Nil if an item is neither a port from 1 to 65535 nor a range of them.
    package init?(_ items: [String]) {
        for item in items {
            let ends = item.split(separator: "-", omittingEmptySubsequences: false).map(Self.port)
            guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], first <= last
            else { return nil }
            ranges.append(first...last)
        }
    }

    /// The ports as the settings spell them.
    var text: String { ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",") }

    /// True if the port may be dialled.
    package func contains(_ port: UInt16) -> Bool {
        ranges.contains { range in
            range.contains(port) && (range.count == 1 || !Self.otherProtocols.contains(port))
        }
    }

    private static func port(_ text: Substring) -> UInt16? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit), let port = UInt16(text), port > 0
        else { return nil }
        return port
    }

    /// The Fetch standard's list, which ends at 10080.
    private static let otherProtocols: Set<UInt16> = [
        1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
        104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513,
        514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720,
        1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    ]
}
