// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// The ID that Redis gives to an entry of a stream: milliseconds of Redis's clock, and a number that orders the entries of one
/// millisecond.
package struct StreamID: Sendable, Hashable, Comparable {
    package var milliseconds: UInt64
    package var sequence: UInt64

    /// The ID before all entries.
    package static let start = StreamID(milliseconds: 0, sequence: 0)

    package init(milliseconds: UInt64, sequence: UInt64) {
        self.milliseconds = milliseconds
        self.sequence = sequence
    }

    /// Reads an ID such as `1732545257000-0`.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = UInt64(parts[0]), let sequence = UInt64(parts[1]) else {
            return nil
        }
        self.init(milliseconds: milliseconds, sequence: sequence)
    }

    /// When Redis took the entry, by Redis's clock.
    package var time: Timestamp { Timestamp(milliseconds: Int64(clamping: milliseconds)) }

    package var text: String { "\(milliseconds)-\(sequence)" }

    package static func < (a: StreamID, b: StreamID) -> Bool {
        (a.milliseconds, a.sequence) < (b.milliseconds, b.sequence)
    }
}
