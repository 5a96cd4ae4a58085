// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Testing

@Suite("Conditions are evaluated in the order of RFC 9110 §13.2.2, whichever are there")
struct ConditionOrderTests {
    private let second = Int64(784_111_777)

    private func time(_ offset: Int64) -> Timestamp { Timestamp(seconds: second + offset) }

    private func date(_ offset: Int64) -> String { HTTPDate.format(time(offset)) }

    private func evaluate(
        _ lines: [(String, String)], tag: EntityTag? = nil, lastModified: Timestamp? = nil,
        received: Timestamp? = nil
    ) -> Preconditions.Result {
        Preconditions(Fields(lines.map { Fields.Field($0, $1) }))
            .evaluate(tag: tag, lastModified: lastModified, received: received, now: now)
    }

    /// Steps 1 to 4 in the words of the RFC; nil stands for a missing field.
    private func reference(
        match: Bool?, unmodified: Bool?, noneMatch: Bool?, modified: Bool?
    ) -> Preconditions.Result {
        // Steps 1 and 2 forbid the answer, steps 3 and 4 make it unnecessary.
        if match == false { return .failed }
        if match == nil, unmodified == false { return .failed }
        if noneMatch == false { return .notModified }
        if noneMatch == nil, modified == false { return .notModified }
        return .proceed
    }

    @Test func `of the 81 combinations each has the RFC's answer`() {
        let truths: [Bool?] = [nil, true, false]
        let tag = EntityTag(opaque: "a")
        for match in truths {
            for unmodified in truths {
                for noneMatch in truths {
                    for modified in truths {
                        var lines: [(String, String)] = []
                        if let match { lines.append(("If-Match", match ? #""a""# : #""b""#)) }
                        if let unmodified { lines.append(("If-Unmodified-Since", date(unmodified ? 0 : -1))) }
                        if let noneMatch { lines.append(("If-None-Match", noneMatch ? #""b""# : #"W/"a""#)) }
                        if let modified { lines.append(("If-Modified-Since", date(modified ? -1 : 0))) }
                        let expected = reference(
                            match: match, unmodified: unmodified, noneMatch: noneMatch, modified: modified)
                        // The order of lines has no meaning.
                        for lines in [lines, lines.reversed()] {
                            #expect(
                                evaluate(lines, tag: tag, lastModified: time(0)) == expected, "\(lines)")
                        }
                    }
                }
            }
        }
    }

    @Test func `a date is compared in whole seconds, since fields have no others`() {
        for milliseconds in [0, 1, 999] as [Int64] {
            let modified = Timestamp(milliseconds: second * 1_000 + milliseconds)
            #expect(evaluate([("If-Modified-Since", date(0))], lastModified: modified) == .notModified)
            #expect(evaluate([("If-Unmodified-Since", date(0))], lastModified: modified) == .proceed)
            #expect(evaluate([("If-Modified-Since", date(-1))], lastModified: modified) == .proceed)
            #expect(evaluate([("If-Unmodified-Since", date(-1))], lastModified: modified) == .failed)
        }
    }

    // MARK: The time of arrival, RFC 9111 §4.3.2

    @Test func `a copy that is younger than what arrived here is the same`() {
        for (offset, expected) in [
            (-1, Preconditions.Result.proceed), (0, .notModified), (1, .notModified),
        ] as [(Int64, Preconditions.Result)] {
            #expect(
                evaluate([("If-Modified-Since", date(offset))], received: time(0)) == expected, "\(offset)")
        }
    }

    @Test func `a known modification counts, and not the arrival`() {
        for received in [time(-9), time(9)] {
            for (offset, expected) in [
                (-1, Preconditions.Result.proceed), (0, .notModified), (1, .notModified),
            ] as [(Int64, Preconditions.Result)] {
                let result = evaluate(
                    [("If-Modified-Since", date(offset))], lastModified: time(0), received: received)
                #expect(result == expected, "\(offset)")
            }
        }
    }

    @Test func `the arrival fails no request, and steps back behind a tag`() {
        #expect(evaluate([("If-Unmodified-Since", date(-9))], received: time(0)) == .proceed)
        let both = [("If-None-Match", #""b""#), ("If-Modified-Since", date(9))]
        #expect(evaluate(both, tag: EntityTag(opaque: "a"), received: time(0)) == .proceed)
        #expect(evaluate([("If-Modified-Since", "soon")], received: time(0)) == .proceed)
        #expect(evaluate([], received: time(0)) == .proceed)
    }
}
