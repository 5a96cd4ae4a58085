// SPDX-License-Identifier: Apache-2.0

@testable import JSON
import Testing

/// Text from outside moves no cursor and ends no line in either format of the log.
struct LogTextTests {
    private static let hostile: [(String, String)] = [
        ("a\u{1B}[2Jb", #"a\u001b[2Jb"#), ("a\u{9B}2Jb", #"a\u009b2Jb"#), ("a\u{85}b", #"a\u0085b"#),
        ("a\u{7F}b", #"a\u007fb"#), ("a\u{202E}b", #"a\u202eb"#), ("a\u{2066}b\u{2069}", #"a\u2066b\u2069"#),
        ("a\u{200E}\u{200F}\u{61C}b", #"a\u200e\u200f\u061cb"#), ("a\u{2028}b", #"a\u2028b"#),
        ("a\u{2029}b", #"a\u2029b"#), ("a\u{200B}b\u{FEFF}", #"a\u200bb\ufeff"#),
        ("a\u{E0041}b", #"a\udb40\udc41b"#), ("a\u{0}b", #"a\u0000b"#),
    ]

    @Test(arguments: hostile)
    func `what is not to be seen is told by its number`(text: String, spelled: String) {
        #expect(LogText.visible(text) == spelled)
        #expect(JSONText.quoted(text) == "\"\(spelled)\"")
    }

    @Test func `a line stays one line`() {
        #expect(LogText.visible("a\r\nb\tc") == #"a\u000d\u000ab\u0009c"#)
        #expect(JSONText.quoted("a\r\nb\tc") == #""a\r\nb\tc""#)
    }

    @Test func `letters of all scripts and what is only odd stay`() {
        for text in ["plain", "é ü ß", "日本語", "עברית", "🦊", "a\\b \"c\" <d>"] {
            #expect(LogText.visible(text) == text)
        }
    }
}
