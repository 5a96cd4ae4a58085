// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics

/// The `Date` field (RFC 9110 §5.6.7, §6.6.1), rendered once a second.
struct DateLine: ~Copyable {
    private var second = Int64.min
    private var buffer = FieldBuffer(capacity: 64)

    /// "Date: Sun, 06 Nov 1994 08:49:37 GMT" and CRLF.
    mutating func write(at now: Timestamp, into target: inout FieldBuffer) {
        if now.seconds != second {
            second = now.seconds
            buffer.truncate(to: 0)
            Self.render(second, into: &buffer)
        }
        target.writeRaw(buffer.bytes)
    }

    private static let days: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func render(_ second: Int64, into buffer: inout FieldBuffer) {
        let day = Int((second - (second % 86_400 + 86_400) % 86_400) / 86_400)
        let time = Int(second) - day * 86_400
        let (year, month, date) = civil(day)
        buffer.open("Date")
        // 1970-01-01 was a Thursday.
        buffer.add(days[((day + 4) % 7 + 7) % 7])
        buffer.add(", ")
        two(date, &buffer)
        buffer.add(" ")
        buffer.add(months[month - 1])
        buffer.add(" ")
        buffer.add(year)
        for (part, separator) in [(time / 3600, " "), (time / 60 % 60, ":"), (time % 60, ":")]
            as [(Int, StaticString)]
        {
            buffer.add(separator)
            two(part, &buffer)
        }
        buffer.add(" GMT")
        buffer.close()
    }

    private static func two(_ number: Int, _ buffer: inout FieldBuffer) {
        if number < 10 { buffer.add("0") }
        buffer.add(number)
    }

    /// Days since 1970-01-01 to year, month and day, in eras of 400 years that begin on 1 March
    /// (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days).
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let year = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let month = (5 * ofYear + 2) / 153
        let date = ofYear - (153 * month + 2) / 5 + 1
        let calendarMonth = month < 10 ? month + 3 : month - 9
        return (year + era * 400 + (calendarMonth <= 2 ? 1 : 0), calendarMonth, date)
    }
}
