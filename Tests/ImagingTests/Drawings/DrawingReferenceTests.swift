// SPDX-License-Identifier: Apache-2.0

import Testing

/// Each of these drawings would take minutes, or all memory, if its references were followed.
@Suite("References of drawings are counted before they are followed", .timeLimit(.minutes(1)))
struct DrawingReferenceTests {
    private func sheet(_ selectors: Int, _ references: Int) -> String {
        let names = Array(repeating: ".a", count: selectors).joined(separator: ",")
        let shown = Array(repeating: "url(#b)", count: references).joined(separator: " ")
        return "\(names){fill:\(shown)}"
    }

    @Test(arguments: [(90_000, 20_000), (1_001, 100), (100, 1_001)])
    func `a style sheet has so many references as its selectors have`(selectors: Int, references: Int) {
        let sheet = sheet(selectors, references)
        #expect(refusal(ofDrawing: "<svg><style>\(sheet)</style></svg>") == "too many references")
    }

    @Test func `style sheets count together`() {
        let half = "<style>\(sheet(500, 100))</style>"
        #expect(refusal(ofDrawing: "<svg>\(half)\(half)</svg>") == nil)
        #expect(
            refusal(ofDrawing: "<svg>\(half)\(half)<style>\(sheet(1, 1))</style></svg>")
                == "too many references")
    }

    /// 36,000 references to an undefined name of 256 KiB are followed for each of 40 parts.
    @Test func `a long name is compared once, however often it is met`() {
        let long = String(repeating: "n", count: 256 << 10)
        let classes = Array(repeating: "a", count: 900).joined(separator: " ")
        let inner = String(repeating: "<g class='\(classes)'/>", count: 40)
        let parts = (0..<40).reduce(inner) { "<g id='p\($1)'>\($0)</g>" }
        let uses = (0..<40).map { "<use href='#p\($0)'/>" }.joined()
        #expect(refusal(ofDrawing: "<svg><style>.a{mask:url(#\(long))}</style>\(parts)\(uses)</svg>") == nil)
    }

    @Test func `names of sheets and of attributes are the same ones`() {
        let parts = "<g id='p'>\(String(repeating: "<path/>", count: 999))</g>"
        for (name, words) in [("p", "too many copies"), ("q", nil)] {
            let elements = String(repeating: "<g class='a'/>", count: 150)
            let others = String(repeating: "<g mask='url(#\(name))'/>", count: 150)
            let sheet = "<style>.a{mask:url(#\(name))}</style>"
            #expect(refusal(ofDrawing: "<svg>\(sheet)\(parts)\(elements)\(others)</svg>") == words)
            #expect(refusal(ofDrawing: "<svg>\(sheet)\(parts)\(elements)</svg>") == nil)
        }
    }
}
