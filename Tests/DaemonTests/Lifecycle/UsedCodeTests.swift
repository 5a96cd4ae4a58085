// SPDX-License-Identifier: Apache-2.0

import CLinux
import Foundation
import Testing

@Suite("Code that only the start needed") struct UsedCodeTests {
    /// KiB of code in memory that belongs to files mapped into this process (proc(5), smaps).
    private func mappedCode() throws -> Int {
        var (isCode, sum) = (false, 0)
        for line in try String(contentsOfFile: "/proc/self/smaps", encoding: .utf8).split(separator: "\n") {
            if let mapping = line.wholeMatch(of: /[0-9a-f]+-[0-9a-f]+ (\S+) .*/) {
                isCode = mapping.1 == "r-xp" && line.contains("/")
            } else if isCode, let size = line.wholeMatch(of: /Rss: +(\d+) kB/) {
                sum += Int(size.1) ?? 0
            }
        }
        return sum
    }

    @Test func `is unmapped, and mapped again where it is used`() throws {
        let before = try mappedCode()
        pictor_unmap_used_code()
        let after = try mappedCode()
        #expect(after > 0 && after < before, "\(before) KiB, \(after)")
    }
}
