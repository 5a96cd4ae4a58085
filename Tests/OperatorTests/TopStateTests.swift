// SPDX-License-Identifier: Apache-2.0

import Operator
import Testing

@Suite("The live view's keys")
struct TopStateTests {
    @Test func `bytes are keys, arrows in both spellings, and what is unknown is passed over`() {
        #expect(
            TopKey.keys("qsjk?p\r\u{3}\t".utf8) == [
                .quit, .sort, .down, .up, .help, .pause, .look, .quit, .nextPanel,
            ])
        #expect(TopKey.keys("\u{1B}[A\u{1B}OB\u{1B}[C\u{1B}[Z".utf8) == [.up, .down, .nextPanel, .lastPanel])
        #expect(TopKey.keys("\u{1B}".utf8) == [.back])
        #expect(TopKey.keys("\u{1B}[1;5A\u{1B}[15~\u{1B}[é#x".utf8).first == .up)
        #expect(TopKey.keys("\u{1B}[".utf8).isEmpty && TopKey.keys([0xFF, 0x00]) == [.other, .other])
    }

    @Test func `a chosen row stays chosen when the order changes, and the ends are ends`() {
        var state = TopState()
        #expect(state.place(in: ["a", "b", "c"]) == 0)
        _ = state.press(.down, names: ["a", "b", "c"])
        #expect(state.chosen == "b" && state.place(in: ["c", "x", "b"]) == 2 && state.place(in: ["c"]) == 0)
        for _ in 1...5 { _ = state.press(.down, names: ["a", "b", "c"]) }
        #expect(state.chosen == "c")
        for _ in 1...5 { _ = state.press(.up, names: ["a", "b", "c"]) }
        #expect(state.chosen == "a")
        _ = state.press(.bottom, names: [])
        #expect(state.chosen == nil)
    }

    @Test func `s goes through a list's orders, Tab through the lists, and each keeps its order`() {
        var state = TopState()
        for place in [1, 2, 0, 1] {
            _ = state.press(.sort, names: [])
            #expect(state.sort == place)
        }
        var seen = [state.panel]
        for _ in 1...3 {
            _ = state.press(.nextPanel, names: [])
            seen.append(state.panel)
        }
        #expect(seen == [.origins, .targets, .errors, .origins] && state.sort == 1)
        _ = state.press(.lastPanel, names: [])
        #expect(state.panel == .errors && state.sort == 0)
    }

    @Test func `while the view is held it rests, however long the next look has been due`() {
        var state = TopState()
        func pause(until next: Int64, isAsking: Bool = false) -> Int32 {
            TopSession.pause(isAsking: isAsking, state, until: next, at: 5_000_000)
        }
        #expect(pause(until: 5_250_000) == 251 && pause(until: 1_000_000) == 1)
        #expect(pause(until: 1_000_000, isAsking: true) == 1_000)
        _ = state.press(.pause, names: [])
        #expect(pause(until: 1_000_000) == 1_000)
    }

    @Test func `Enter looks into the row, an answer for another is dropped, and q leads back`() {
        var state = TopState()
        #expect(state.press(.look, names: []) == .none && state.detail == nil)
        #expect(state.press(.look, names: ["a", "b"]) == .look(.origins, "a"))
        state.show(["old"], of: "b")
        #expect(state.detail?.lines == nil)
        state.show(["1", "2"], of: "a")
        for scroll in [1, 1] {
            _ = state.press(.down, names: ["a", "b"])
            #expect(state.scroll == scroll)
        }
        #expect(state.press(.quit, names: ["a"]) == .none && state.detail == nil)
        state.show(["late"], of: "a")
        #expect(state.detail == nil && state.press(.quit, names: ["a"]) == .quit)
    }

    @Test func `any key leaves the help, and p holds and lets go`() {
        var state = TopState()
        _ = state.press(.help, names: [])
        #expect(state.isHelp && state.press(.quit, names: []) == .none && !state.isHelp)
        _ = state.press(.pause, names: [])
        #expect(state.isPaused)
        _ = state.press(.pause, names: [])
        #expect(!state.isPaused)
    }

    @Test func `cells: wide characters take two, marks none, and a cut is told`() {
        #expect(CellText.cells("aé漢🎉e\u{301}") == 7)
        #expect(
            CellText.cut("abcdef", 4) == "abc…" && CellText.cut("漢漢漢", 4) == "漢…"
                && CellText.cut("ab", 0).isEmpty)
        #expect(CellText.fitted("ab", 4) == "ab  " && CellText.cut("a\u{1B}b", 20) == #"a\u001bb"#)
        #expect(
            CellText.cut("a" + String(repeating: "\u{301}", count: 100_000), 5).unicodeScalars.count < 200)
    }

    @Test func `JSON is a line a member`() {
        #expect(
            JSONOutline.lines(#"{"b":[1,2],"a":{"x":true,"y":null,"z":1.5},"c":[{"d":"e"}]}"#)
                == ["a.x  true", "a.y  –", "a.z  1.5", "b  1, 2", "c[0].d  e"])
        #expect(JSONOutline.lines("nothing") == nil)
    }
}
