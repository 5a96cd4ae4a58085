// SPDX-License-Identifier: Apache-2.0

/// A moment by calendar and clock: UTC, proleptic Gregorian, whole seconds.
package struct CivilTime: Sendable, Hashable {
    /// 0 is 1 BC; negative before that.
    package var year: Int
    /// 1…12.
    package var month: Int
    /// 1…31.
    package var day: Int
    /// 0…23.
    package var hour: Int
    /// 0…59.
    package var minute: Int
    /// 0…60: 60 is a leap second, and counts as the first second of the next minute.
    package var second: Int

    /// Nil for a date that does not exist in the month, or a time that does not exist in a day.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day) else { return nil }
        guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second) else {
            return nil
        }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// The calendar's reading of `time`, rounded down to a second.
    package init(_ time: Timestamp) {
        let seconds = Int(time.seconds)
        let days = Self.floor(seconds, by: 86_400)
        let clock = seconds - days * 86_400
        // Years begin on 1 March here, so that the leap day is the last of its year; 400 years have 146,097
        // days.
        let shifted = days + 719_468
        let era = Self.floor(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60)
    }

    /// The moment, with 0 milliseconds.
    package var timestamp: Timestamp {
        Timestamp(seconds: Int64(daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second))
    }

    /// 0…6, from Sunday.
    package var weekday: Int { daysSinceEpoch + 4 - Self.floor(daysSinceEpoch + 4, by: 7) * 7 }

    private var daysSinceEpoch: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = Self.floor(shiftedYear, by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func days(in month: Int, of year: Int) -> Int {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
    }

    private static func floor(_ value: Int, by divisor: Int) -> Int {
        // Cannot trap: the divisors are constants.
        value >= 0 ? value / divisor : (value - divisor + 1) / divisor
    }
}
