// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HTTPSemantics
import RandomInputs
import Testing

@Suite("The calendar is that of the C library")
struct CalendarTests {
    /// Proleptic Gregorian, as gmtime(3) calculates.
    private func reference(_ seconds: Int64) -> tm {
        var (time, parts) = (time_t(seconds), tm())
        gmtime_r(&time, &parts)
        return parts
    }

    @Test func `a moment has the same parts, and is made of them again`() {
        var random = SeededRandom(for: "Calendar")
        for _ in 0..<20_000 {
            let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)
            let (civil, parts) = (CivilTime(Timestamp(seconds: seconds)), reference(seconds))
            let ours: [Int] = [
                civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second, civil.weekday,
            ]
            let theirs: [Int32] = [
                parts.tm_year + 1_900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                parts.tm_sec,
                parts.tm_wday,
            ]
            #expect(ours == theirs.map(Int.init), "seed \(random.seed): \(seconds)")
            #expect(civil.timestamp == Timestamp(seconds: seconds), "seed \(random.seed): \(seconds)")
        }
    }

    @Test func `each of the three forms says the same moment`() {
        var random = SeededRandom(for: "Calendar")
        let forms = ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]
        for _ in 0..<5_000 {
            // Within the range in which a two-digit year is unambiguous.
            let seconds = now.seconds + Int64.random(in: -1_500_000_000...1_500_000_000, using: &random)
            for form in forms {
                var (parts, text) = (reference(seconds), [CChar](repeating: 0, count: 64))
                strftime(&text, 64, form, &parts)
                let date = String(
                    decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                #expect(
                    HTTPDate.parse(date, now: now) == Timestamp(seconds: seconds),
                    "seed \(random.seed): \(date)")
            }
        }
    }

    @Test(arguments: [
        (2_023, 1, 31), (2_023, 2, 28), (2_024, 2, 29), (2_000, 2, 29), (1_900, 2, 28), (2_100, 2, 28),
        (2_023, 3, 31),
        (2_023, 4, 30), (2_023, 5, 31), (2_023, 6, 30), (2_023, 7, 31), (2_023, 8, 31), (2_023, 9, 30),
        (2_023, 10, 31),
        (2_023, 11, 30), (2_023, 12, 31), (0, 2, 29), (400, 2, 29), (100, 2, 28),
    ])
    func `a month has its days`(year: Int, month: Int, days: Int) {
        func day(_ day: Int) -> CivilTime? {
            CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
        }
        #expect(day(days) != nil && day(1) != nil)
        #expect(day(days + 1) == nil && day(0) == nil)
    }

    @Test func `a day has its hours, and a minute may have a leap second`() throws {
        func time(_ month: Int, _ hour: Int, _ minute: Int, _ second: Int) -> CivilTime? {
            CivilTime(year: 2_024, month: month, day: 1, hour: hour, minute: minute, second: second)
        }
        for (month, hour, minute, second) in [(1, 0, 0, 0), (12, 23, 59, 60)] {
            #expect(time(month, hour, minute, second) != nil)
        }
        for (month, hour, minute, second) in [
            (0, 0, 0, 0), (13, 0, 0, 0), (1, 24, 0, 0), (1, -1, 0, 0), (1, 0, 60, 0), (1, 0, -1, 0),
            (1, 0, 0, 61),
            (1, 0, 0, -1),
        ] {
            #expect(time(month, hour, minute, second) == nil)
        }
        let (leap, next) = (try #require(time(1, 5, 6, 60)), try #require(time(1, 5, 7, 0)))
        #expect(leap.timestamp == next.timestamp)
    }

    @Test func `seconds are rounded down, on either side of the epoch`() {
        for (milliseconds, seconds) in [
            (0, 0), (1, 0), (999, 0), (1_000, 1), (-1, -1), (-999, -1), (-1_000, -1), (-1_001, -2),
        ] as [(Int64, Int64)] {
            #expect(Timestamp(milliseconds: milliseconds).seconds == seconds)
        }
        #expect(Timestamp(seconds: 3).milliseconds == 3_000)
        #expect(Timestamp(milliseconds: 5).adding(seconds: 2) == Timestamp(milliseconds: 2_005))
        #expect(Timestamp(milliseconds: 5) < Timestamp(milliseconds: 6))
        #expect(!(Timestamp(milliseconds: 5) < Timestamp(milliseconds: 5)))
    }

    @Test func `whatever single byte of a date is another, it is another date or none`() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ] {
            let bytes = Array(text.utf8)
            for index in bytes.indices {
                for byte in UInt8(0x20)...0x7E where byte.asciiLowercased != bytes[index].asciiLowercased {
                    var other = bytes
                    other[index] = byte
                    // The weekday may be wrong, and a day in asctime's form may have a leading zero.
                    guard bytes[index] != .space || byte != UInt8(ascii: "0") else { continue }
                    guard let read = other.withUnsafeBytes({ HTTPDate.parse($0, now: now) }), index > 2 else {
                        continue
                    }
                    #expect(
                        read != Timestamp(seconds: 784_111_777), "\(String(decoding: other, as: UTF8.self))")
                }
            }
        }
    }
}
