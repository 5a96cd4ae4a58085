// SPDX-License-Identifier: Apache-2.0

import Telemetry
import Testing

@Suite("Each byte, each day and each number of an access line has one spelling")
struct SpellingTests {
    private func line(_ format: AccessLine.Format, time: Int64 = 0, target: [UInt8] = [], status: Int = 200)
        -> String
    {
        var buffer: [UInt8] = []
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        target.withUnsafeBytes {
            AccessLine(
                time: time, id: empty, peer: empty, method: empty, target: $0, status: status, bytes: 0,
                microseconds: 0,
                outcome: "refused", dialect: "other"
            ).append(as: format, hiding: SecretParameters(), to: &buffer)
        }
        return String(decoding: buffer, as: UTF8.self)
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count < 2 ? "0" + digits : digits
    }

    @Test(arguments: 0...UInt8.max)
    func `a byte is written as it is, or told by its number`(byte: UInt8) {
        let letter = String(UnicodeScalar(byte))
        // A "<" could begin a priority in the journal.
        let isPrintable = (0x20...0x7E).contains(byte) && letter != "<"
        let isEscaped = letter == "\"" || letter == "\\"
        let json =
            isEscaped ? "\\" + letter : isPrintable ? letter : "\\u00" + Self.hexadecimal(byte)
        #expect(line(.json, target: [0x2F, byte]).contains(",\"target\":\"/\(json)\",\"status\":"))
        let logfmt = isEscaped ? "\\" + letter : isPrintable ? letter : "\\x" + Self.hexadecimal(byte)
        let isPlain = isPrintable && !isEscaped && letter != " " && letter != "="
        let value = isPlain ? "/\(logfmt)" : "\"/\(logfmt)\""
        #expect(line(.logfmt, target: [0x2F, byte]).contains(" target=\(value) status="))
    }

    @Test func `each day follows the one before`() {
        var (year, month, day) = (1895, 1, 1)
        // The loop begins 27,393 days before 1970-01-01.
        for number in -27_393..<50_000 as Range<Int64> {
            let spelled = [year, month, day].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
            #expect(line(.logfmt, time: number * 86_400_000).hasPrefix("time=\(spelled)T00:00:00.000Z "))
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let length = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
            day = day == length ? 1 : day + 1
            if day == 1 { month = month == 12 ? 1 : month + 1 }
            if day == 1, month == 1 { year += 1 }
        }
    }

    @Test(arguments: [
        (0, "00:00:00.000"), (1, "00:00:00.001"), (99, "00:00:00.099"), (100, "00:00:00.100"),
        (999, "00:00:00.999"), (1_000, "00:00:01.000"), (59_999, "00:00:59.999"), (60_000, "00:01:00.000"),
        (3_599_999, "00:59:59.999"), (3_600_000, "01:00:00.000"), (45_296_789, "12:34:56.789"),
        (86_399_999, "23:59:59.999"), (86_400_000, "00:00:00.000"), (-86_400_000, "00:00:00.000"),
        (-86_399_999, "00:00:00.001"),
    ])
    func `a moment of the day is told to the millisecond`(milliseconds: Int64, spelled: String) {
        #expect(line(.json, time: milliseconds).contains("T\(spelled)Z\","))
    }

    @Test(arguments: [0, 7, 10, 99, 100, -1, -10, .max, .min])
    func `a number is spelled as people do`(number: Int) {
        #expect(line(.logfmt, status: number).contains(" status=\(number) "))
    }

    /// The first and the last moment of the years of four digits.
    @Test func `what lies beyond the calendar is moved to its edge`() {
        let first: Int64 = -62_167_219_200_000
        let last: Int64 = 253_402_300_799_999
        #expect(line(.logfmt, time: first).hasPrefix("time=0000-01-01T00:00:00.000Z "))
        #expect(line(.logfmt, time: first - 1).hasPrefix("time=0000-01-01T00:00:00.000Z "))
        #expect(line(.logfmt, time: first + 1).hasPrefix("time=0000-01-01T00:00:00.001Z "))
        #expect(line(.logfmt, time: last + 1).hasPrefix("time=9999-12-31T23:59:59.999Z "))
        #expect(line(.logfmt, time: last - 1).hasPrefix("time=9999-12-31T23:59:59.998Z "))
    }
}

@Suite("What dashboards are drawn with stays as it is")
struct DashboardTests {
    @Test(arguments: Exposition.Format.allCases)
    func `times are told in three steps a decade, from 10 µs to 50 s`(format: Exposition.Format) throws {
        let metrics = Metrics(build: BuildInfo(version: "1", libvips: "1"), codes: ["not_found"])
        let page = metrics.exposition([ObservedMetric<Void>](), of: (), as: format)
        let families = try ExpositionParser(page, as: format).families
        let whole =
            format == .classic
            ? ["1", "2.5", "5", "10", "25", "50"] : ["1.0", "2.5", "5.0", "10.0", "25.0", "50.0"]
        for (name, label) in [("pictor_stage_seconds", "decode"), ("pictor_request_seconds", "stale")] {
            let family = try #require(families.first { $0.name == name })
            let bounds = family.samples.filter { $0.labels.values.contains(label) }.compactMap {
                $0.labels["le"]
            }
            #expect(
                bounds == [
                    "1e-05", "2.5e-05", "5e-05", "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005",
                    "0.01",
                    "0.025", "0.05", "0.1", "0.25", "0.5",
                ] + whole + ["+Inf"])
        }
    }

    @Test(
        arguments: [
            (199, .serverError), (200, .success), (299, .success), (300, .redirection), (399, .redirection),
            (400, .clientError), (499, .clientError), (500, .serverError),
        ] as [(Int, StatusClassLabel)])
    func `a class of statuses has its first and its last`(status: Int, expected: StatusClassLabel) {
        #expect(StatusClassLabel(status: status) == expected)
    }
}
