// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import RandomInputs
import Testing

struct HTTPDateTests {
    @Test(
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func `the three forms of RFC 9110 mean the same moment`(text: String) {
        #expect(HTTPDate.parse(text, now: now) == Timestamp(seconds: 784_111_777))
    }

    @Test(
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
            ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
            ("Sun, 21 Nov 2286 04:46:39 GMT", 10_000_039_599),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ] as [(String, Int64)])
    func `the calendar is right at its corners`(text: String, seconds: Int64) {
        #expect(HTTPDate.parse(text, now: now) == Timestamp(seconds: seconds))
    }

    @Test(
        arguments: [
            "Thu, 18 AUG 2050 02:01:18 GMT", "THU, 18 aug 2050 02:01:18 gmt", "Mon, 18 Aug 2050 02:01:18 GMT",
            "  Thu, 18 Aug 2050 02:01:18 GMT\t", "thursday, 18-aug-50 02:01:18 gMT",
            "THU AUG 18 02:01:18 2050",
        ])
    func `letter case, a wrong weekday and white space around do no harm`(text: String) {
        #expect(HTTPDate.parse(text, now: now) == Timestamp(seconds: 2_544_400_878))
    }

    @Test(
        arguments: [
            "", "0", "-1", "now", "Thu", "Thu,", "2050-08-18T02:01:18Z", "Thu, 18 Aug 2050",
            "Thu, 18 Aug 2050 02:01:18", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 AEST",
            "Thu, 18 Aug 2050 02:01:18 +0000", "Thu, 18 Aug 2050 02:01:18 GMT+1",
            "Thu, 18 Aug 2050 02:01:18 GMT GMT",
            "Thu, 18-Aug-2050 02:01:18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 2050 02:1:18 GMT",
            "Thu, 18 Aug 2050 02:01:8 GMT", "Thu, 18 Aug 50 02:01:18 GMT", "Thu, 8 Aug 2050 02:01:18 GMT",
            "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 02:01 GMT", "Thu 18 Aug 2050 02:01:18 GMT",
            "Thu,18 Aug 2050 02:01:18 GMT", "Thu,  18 Aug 2050 02:01:18 GMT",
            "Thu, 18  Aug 2050 02:01:18 GMT",
            "Thu, 18 Aug  2050 02:01:18 GMT", "Thu, 18 Aug 2050  02:01:18 GMT",
            "Thu, 18 Aug 2050 02:01:18  GMT",
            "Xxx, 18 Aug 2050 02:01:18 GMT", "Thu, 18 Xxx 2050 02:01:18 GMT",
            "Thu, 18 August 2050 02:01:18 GMT",
            "Thu, 00 Aug 2050 02:01:18 GMT", "Thu, 32 Aug 2050 02:01:18 GMT", "Thu, 31 Jun 2050 02:01:18 GMT",
            "Thu, 29 Feb 2023 02:01:18 GMT", "Thu, 29 Feb 2100 02:01:18 GMT", "Thu, 30 Feb 2024 02:01:18 GMT",
            "Thu, 18 Aug 2050 24:01:18 GMT", "Thu, 18 Aug 2050 02:60:18 GMT", "Thu, 18 Aug 2050 02:01:61 GMT",
            "Thu, -1 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 02050 02:01:18 GMT",
            "\"Thu, 18 Aug 2050 02:01:18 GMT\"",
            "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT", "Thu, 18\tAug 2050 02:01:18 GMT",
            "Thursday, 18 Aug 50 02:01:18 GMT", "Thursday, 18-Aug-2050 02:01:18 GMT",
            "Thur, 18-Aug-50 02:01:18 GMT",
            "Thursday 18-Aug-50 02:01:18 GMT", "Thursday, 18-Aug-50 02:01:18",
            "Thursday, 8-Aug-50 02:01:18 GMT",
            "Thu Aug 18 02:01:18 2050 GMT", "Thu Aug 6 02:01:18 2050", "Thu Aug 06  02:01:18 2050",
            "Thu Aug   6 02:01:18 2050", "Thu Aug 18 02:01:18 50", "Thu, Aug 18 02:01:18 2050",
        ])
    func `what is not of the three forms is no date`(text: String) {
        #expect(HTTPDate.parse(text, now: now) == nil)
    }

    @Test(
        arguments: [
            // In 2025: up to 50 years ahead is the future, beyond that the past.
            (2025, "Thursday, 18-Aug-50 02:01:18 GMT", "Thu, 18 Aug 2050 02:01:18 GMT"),
            (2025, "Tuesday, 01-Jan-75 00:00:00 GMT", "Tue, 01 Jan 2075 00:00:00 GMT"),
            (2025, "Wednesday, 01-Jan-75 00:00:01 GMT", "Wed, 01 Jan 1975 00:00:01 GMT"),
            (2025, "Friday, 31-Dec-99 23:59:59 GMT", "Fri, 31 Dec 1999 23:59:59 GMT"),
            (2025, "Saturday, 01-Jan-00 00:00:00 GMT", "Sat, 01 Jan 2000 00:00:00 GMT"),
            // In 1994, "44" is not past the limit and "45" is.
            (1994, "Friday, 01-Jan-44 00:00:00 GMT", "Fri, 01 Jan 2044 00:00:00 GMT"),
            (1994, "Monday, 01-Jan-45 00:00:00 GMT", "Mon, 01 Jan 1945 00:00:00 GMT"),
            // Over the turn of a century, in both directions.
            (2099, "Thursday, 01-Jan-05 00:00:00 GMT", "Thu, 01 Jan 2105 00:00:00 GMT"),
            (2001, "Friday, 01-Jan-99 00:00:00 GMT", "Fri, 01 Jan 1999 00:00:00 GMT"),
            // 2100 has no 29 February; 2000 has.
            (2060, "Tuesday, 29-Feb-00 00:00:00 GMT", "Tue, 29 Feb 2000 00:00:00 GMT"),
        ] as [(Int, String, String)])
    func `a year of two digits is the latest that is at most 50 years ahead`(
        year: Int, short: String, full: String
    ) {
        let standing =
            CivilTime(year: year, month: 1, day: 1, hour: 0, minute: 0, second: 0)?.timestamp ?? now
        let expected = HTTPDate.parse(full, now: standing)
        #expect(expected != nil)
        #expect(HTTPDate.parse(short, now: standing) == expected)
    }

    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (1_709_208_000, "Thu, 29 Feb 2024 12:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (253_402_300_800, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
            (-62_167_219_201, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ] as [(Int64, String)])
    func `dates are written as IMF-fixdate`(seconds: Int64, text: String) {
        #expect(HTTPDate.format(Timestamp(seconds: seconds)) == text)
    }

    @Test func `writing fills exactly 29 bytes of a larger buffer`() {
        var buffer = [UInt8](repeating: 0x2E, count: 33)
        buffer.withUnsafeMutableBytes { HTTPDate.write(Timestamp(seconds: 784_111_777), to: $0) }
        #expect(String(decoding: buffer, as: UTF8.self) == "Sun, 06 Nov 1994 08:49:37 GMT....")
    }

    @Test func `fractions of a second are cut off, before 1970 too`() {
        #expect(HTTPDate.format(Timestamp(milliseconds: 999)) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.format(Timestamp(milliseconds: -1)) == "Wed, 31 Dec 1969 23:59:59 GMT")
    }

    @Test func `the ends of time are written as the first and the last year`() {
        #expect(HTTPDate.format(Timestamp(milliseconds: .min)) == "Sat, 01 Jan 0000 00:00:00 GMT")
        #expect(HTTPDate.format(Timestamp(milliseconds: .max)) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(Timestamp(milliseconds: .min).seconds == -9_223_372_036_854_776)
    }

    @Test func `what is written is read back, for 20,000 random moments`() {
        var random = SeededRandom(for: "HTTPDate")
        for _ in 0..<20_000 {
            let time = Timestamp(seconds: .random(in: -62_167_219_200...253_402_300_799, using: &random))
            #expect(HTTPDate.parse(HTTPDate.format(time), now: now) == time, "seed \(random.seed)")
        }
    }

    @Test func `days follow each other with the right weekday for 800 years`() {
        var weekday = 6  // 1 January 1600 was a Saturday.
        for day in -135_140..<(-135_140 + 292_194) {
            let civil = CivilTime(Timestamp(seconds: Int64(day) * 86_400))
            guard civil.weekday == weekday, civil.timestamp.seconds == Int64(day) * 86_400 else {
                Issue.record("day \(day)")
                return
            }
            weekday = (weekday + 1) % 7
        }
    }

    @Test func `no bytes make the parser trap`() {
        var random = SeededRandom(for: "dates")
        let shapes = [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ]
        for _ in 0..<50_000 {
            var bytes = Array(shapes[Int.random(in: 0..<3, using: &random)].utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
            }
            if let time = bytes.withUnsafeBytes({ HTTPDate.parse($0, now: now) }) {
                #expect(
                    HTTPDate.parse(HTTPDate.format(time), now: now) == time, "seed \(random.seed) \(bytes)")
            }
        }
    }
}
