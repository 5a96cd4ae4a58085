// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Testing

struct RetryAfterTests {
    @Test(
        arguments: [
            ("120", 120), ("0", 0), (" 5 ", 5), ("99999999999999999999", 300), ("301", 300),
            ("Wed, 01 Jan 2025 00:00:30 GMT", 30),
            ("Wed, 01 Jan 2025 00:00:00 GMT", 0), ("Tue, 31 Dec 2024 23:59:59 GMT", 0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 300),
            ("Wednesday, 01-Jan-25 00:01:00 GMT", 60),
        ] as [(String, Int)])
    func `seconds or a date, bounded`(text: String, seconds: Int) {
        #expect(RetryAfter.seconds(text, now: now, limit: 300) == seconds)
    }

    @Test(arguments: ["", "soon", "-1", "1.5", "1 2", "120s", "120, 60"])
    func `nonsense says nothing`(text: String) {
        #expect(RetryAfter.seconds(text, now: now, limit: 300) == nil)
    }
}
