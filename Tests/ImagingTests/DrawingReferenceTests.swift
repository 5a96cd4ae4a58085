// SPDX-License-Identifier: Apache-2.0

@testable import Imaging
import Testing

/// Each of them would take minutes, or all memory, if it were followed.
@Suite("References of drawings are counted before they are followed", .timeLimit(.minutes(1)))
struct DrawingReferenceTests {
    private func clean(_ file: String) throws {
        _ = try Array(file.utf8).withUnsafeBytes { try CleanDrawing.of($0) }
    }

    /// Why it is refused.
    private func words(_ file: String) -> String? {
        do {
            try clean(file)
            return nil
        } catch { return (error as? CleanDrawing.Refusal)?.words }
    }

    private func sheet(_ selectors: Int, _ references: Int) -> String {
        let names = Array(repeating: ".a", count: selectors).joined(separator: ",")
        let shown = Array(repeating: "url(#b)", count: references).joined(separator: " ")
        return "\(names){fill:\(shown)}"
    }

    @Test(arguments: [(90_000, 300_000), (300_000, 90_000), (1_001, 100), (100, 1_001)])
    func `a style sheet has so many references as its selectors have`(selectors: Int, references: Int) {
        let sheet = sheet(selectors, references)
        #expect(words("<svg><style>\(sheet)</style></svg>") == "too many references")
    }

    @Test func `style sheets count together`() {
        let half = "<style>\(sheet(500, 100))</style>"
        #expect(words("<svg>\(half)\(half)</svg>") == nil)
        #expect(words("<svg>\(half)\(half)<style>\(sheet(1, 1))</style></svg>") == "too many references")
    }
}
