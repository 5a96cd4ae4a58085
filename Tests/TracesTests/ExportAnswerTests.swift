// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Testing
import Traces

struct ExportAnswerTests {
    /// `partial_success { rejected_spans: 300, error_message: "quota" }`
    private static let example: [UInt8] = [0x0A, 10, 0x08, 0xAC, 0x02, 0x12, 5] + Array("quota".utf8)

    @Test func `spans that were left out are read, with the reason`() {
        let answer = ExportAnswer(Self.example)
        #expect(answer.rejected == 300 && answer.words == "quota")
    }

    @Test(
        arguments: [
            // No bytes, an empty message, an empty part, a warning without a rejected span.
            [], [0x0A, 0], [0x0A, 2, 0x08, 0], [0x0A, 4, 0x12, 2, 0x6F, 0x6B],
            // A negative number.
            [0x0A, 11, 0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
            // A length beyond the end, a number without an end, a group, and another wire type in the field's place.
            [0x0A, 9, 0x08, 1], [0x0A, 2, 0x08, 0x80], [0x0B, 0x08, 1], [0x08, 1], Array("{}".utf8),
        ] as [[UInt8]])
    func `anything else says that all were taken`(bytes: [UInt8]) {
        #expect(ExportAnswer(bytes).rejected == 0)
    }

    @Test func `unknown fields of each type are passed over`() {
        let unknown: [UInt8] =
            [0x18, 0xFF, 1] + [0x21, 1, 2, 3, 4, 5, 6, 7, 8] + [0x2A, 2, 8, 1] + [0x35, 1, 2, 3, 4]
        #expect(ExportAnswer(unknown + Self.example).rejected == 300)
    }

    @Test func `noise never traps, and its words are bounded`() {
        var random = SeededRandom(for: "a collector's answers")
        for _ in 0..<20_000 {
            var bytes = Self.example + Array(repeating: UInt8(ascii: "x"), count: 600)
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                bytes[Int.random(in: 0..<16, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let answer = ExportAnswer(bytes)
            // A byte that is not UTF-8 becomes three bytes.
            #expect(answer.rejected >= 0 && answer.words.utf8.count <= 3 * 256)
        }
    }
}
