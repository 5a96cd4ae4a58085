// SPDX-License-Identifier: Apache-2.0

/// The stable codes of all refusals, numbered, so that one byte carries a code to the log.
package enum ErrorCode {
    /// Each code once, in alphabetical order.
    package static let all: [String] = Set(ErrorReference.entries.map(\.code)).sorted()
    private static let numbers: [String: UInt8] = all.enumerated().reduce(into: [:]) { numbers, entry in
        // Cannot overflow a byte: there are some sixty codes.
        numbers[entry.element] = UInt8(clamping: entry.offset + 1)
    }

    /// The code's number, from 1; 0 for a code that no table has.
    static func number(of code: String) -> UInt8 { numbers[code] ?? 0 }

    /// Nil for 0, and for numbers beyond the last.
    static func code(numbered number: UInt8) -> String? {
        (1...all.count).contains(Int(number)) ? all[Int(number) - 1] : nil
    }
}
