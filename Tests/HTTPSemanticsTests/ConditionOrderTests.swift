// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Testing

@Suite("Conditions are evaluated in the order of RFC 9110 §13.2.2, whichever are there")
struct ConditionOrderTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    /// Steps 1 and 3 as the RFC words them; nil stands for a field that is missing.
    private func reference(match: Bool?, noneMatch: Bool?) -> Preconditions.Result {
        // 1: what forbids the answer. 3: what makes it unnecessary.
        if match == false { return .failed }
        return noneMatch == false ? .notModified : .proceed
    }

    @Test func `each combination has the RFC's answer, and dates change none`() {
        let truths: [Bool?] = [nil, true, false]
        let tag = EntityTag(opaque: "a")
        for match in truths {
            for noneMatch in truths {
                for dated in [[], ["If-Modified-Since"], ["If-Unmodified-Since", "If-Modified-Since"]] {
                    var lines = dated.map { ($0, Self.date) }
                    if let match { lines.append(("If-Match", match ? #""a""# : #""b""#)) }
                    if let noneMatch { lines.append(("If-None-Match", noneMatch ? #""b""# : #"W/"a""#)) }
                    // The order of lines means nothing.
                    for lines in [lines, lines.reversed()] {
                        let result = Preconditions(Fields(lines.map { Fields.Field($0, $1) }))
                            .evaluate(tag: tag)
                        #expect(result == reference(match: match, noneMatch: noneMatch), "\(lines)")
                    }
                }
            }
        }
    }
}
