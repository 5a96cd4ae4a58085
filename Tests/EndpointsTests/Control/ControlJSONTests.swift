// SPDX-License-Identifier: Apache-2.0

import Endpoints
import Testing

@Suite struct ControlJSONTests {
    @Test func `what a stranger wrote moves no cursor, and is read as it was written`() {
        let tags = ["a\u{9B}2J\u{202E}b", "\u{2028}日本語"]
        let text = ControlJSON.text(tags)
        #expect(text == #"["a\u009b2J\u202eb","\u2028日本語"]"#)
        #expect(ControlJSON.read([String].self, from: text.utf8) == tags)
    }
}
