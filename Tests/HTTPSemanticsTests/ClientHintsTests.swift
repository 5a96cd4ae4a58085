// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Testing

@Suite("What clients hint at is read strictly, and what is malformed counts as absent")
struct ClientHintsTests {
    private func hints(_ values: [HintField: String]) -> ClientHints { ClientHints { values[$0] } }

    @Test(
        arguments: [
            ("1", 1), ("320", 320), (" 320 ", 320), ("320;a=1", 320), ("999999", 999_999),
            ("0", nil), ("", nil), ("-1", nil), ("+1", nil), ("1.0", nil), ("1000000", nil), ("320px", nil),
            ("3, 4", nil),
            ("３", nil), ("1e3", nil), (";320", nil),
        ] as [(String, Int?)])
    func `a width is a whole number above 0`(text: String, width: Int?) {
        #expect(hints([.width: text]).width == width)
        #expect(hints([.olderWidth: text]).width == width)
        #expect(hints([.viewportWidth: text]).viewportWidth == width)
        #expect(hints([.olderViewportWidth: text]).viewportWidth == width)
    }

    @Test(
        arguments: [
            ("1", 1), ("2.0", 2), ("0.1", 0.1), ("8", 8), ("1.100000023841858", 1.100000023841858),
            ("1.5;q=1", 1.5),
            ("0", nil), ("0.05", nil), ("8.01", nil), ("-1", nil), (".5", nil), ("1.", nil), ("1.2.3", nil),
            ("nan", nil),
            ("inf", nil), ("0x1", nil), ("1e0", nil), ("1.0000000000000000000000000", nil), ("1, 2", nil),
        ] as [(String, Double?)])
    func `a ratio is a number within what screens have`(text: String, ratio: Double?) {
        #expect(hints([.pixelRatio: text]).pixelRatio == ratio)
        #expect(hints([.olderPixelRatio: text]).pixelRatio == ratio)
    }

    @Test(arguments: [
        ("on", true), ("ON", true), (" on ", true), ("on;a", true), ("x, on", true),
        ("", false), ("off", false), ("?1", false), ("only", false),
    ])
    func `data is saved where the word is there`(text: String, isSaving: Bool) {
        #expect(hints([.saveData: text]).savesData == isSaving)
    }

    /// One walk over the value for each space would take minutes.
    @Test(.timeLimit(.minutes(1))) func `spaces without end in a value take no longer to read than letters`()
    {
        let spaces = String(repeating: " ", count: 200_000)
        #expect(hints([.width: "320" + spaces + ";a=1"]).width == 320)
        #expect(hints([.pixelRatio: spaces + "2" + spaces]).pixelRatio == 2)
        #expect(hints([.saveData: "x" + spaces + ";,on" + spaces]).savesData)
        #expect(hints([.width: spaces]).width == nil)
    }

    @Test func `the older name counts where the newer one says nothing`() {
        #expect(hints([.width: "5", .olderWidth: "6"]).width == 5)
        #expect(hints([.width: "x", .olderWidth: "6"]).width == 6)
        #expect(hints([.pixelRatio: "2", .olderPixelRatio: "3"]).pixelRatio == 2)
        #expect(hints([.pixelRatio: "9", .olderPixelRatio: "3"]).pixelRatio == 3)
        #expect(hints([:]) == ClientHints())
    }
}
