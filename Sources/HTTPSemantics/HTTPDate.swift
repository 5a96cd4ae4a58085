// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Dates in field values (RFC 9110 §5.6.7): three forms are read, IMF-fixdate alone is written.
///
/// Parsing is strict about digits, separators and zone, and tolerant about letter case. The weekday must be a weekday's name, but
/// need not fit the date, because hand-written dates often err there and are unambiguous all the same.
package enum HTTPDate {
    /// Bytes of an IMF-fixdate.
    package static let length = 29

    /// As for bytes; nil if the text has none of the three forms.
    package static func parse(_ text: String, now: Timestamp) -> Timestamp? {
        text.withFieldBytes { parse($0, now: now) }
    }

    /// Nil if the bytes have none of the three forms. `now` decides the century of a two-digit year. White space around the date is
    /// allowed.
    package static func parse(_ bytes: UnsafeRawBufferPointer, now: Timestamp) -> Timestamp? {
        let bytes = bytes.trimmed
        guard bytes.count >= 24, bytes.count <= 33 else { return nil }
        if bytes[3] == .comma { return fixdate(bytes) }
        if bytes[3] == .space { return asctime(bytes) }
        return rfc850(bytes, now: now)
    }

    /// An IMF-fixdate.
    package static func format(_ time: Timestamp) -> String { String(capacity: length) { $0.append(time) } }

    /// Writes the 29 bytes of an IMF-fixdate, for which `storage` must have room. Years are clamped to
    /// 0…9999.
    package static func write(_ time: Timestamp, to storage: UnsafeMutableRawBufferPointer) {
        // Cannot trap: callers reserve `length`.
        precondition(storage.count >= length, "an IMF-fixdate has 29 bytes")
        let civil = CivilTime(time.withFourDigitYear)
        copy(days, at: civil.weekday, to: storage, 0)
        storage[3] = .comma
        storage[4] = .space
        put(civil.day, to: storage, 5)
        storage[7] = .space
        copy(months, at: civil.month - 1, to: storage, 8)
        storage[11] = .space
        put(civil.year / 100, to: storage, 12)
        put(civil.year % 100, to: storage, 14)
        storage[16] = .space
        put(civil.hour, to: storage, 17)
        storage[19] = .colon
        put(civil.minute, to: storage, 20)
        storage[22] = .colon
        put(civil.second, to: storage, 23)
        storage[25] = .space
        copy("GMT", at: 0, to: storage, 26)
    }

    private static let days: StaticString = "SunMonTueWedThuFriSat"
    private static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"

    private static func copy(
        _ names: StaticString, at index: Int, to storage: UnsafeMutableRawBufferPointer, _ offset: Int
    ) {
        for letter in 0..<3 { storage[offset + letter] = names.utf8Start[3 * index + letter] }
    }

    private static func put(_ number: Int, to storage: UnsafeMutableRawBufferPointer, _ offset: Int) {
        storage[offset] = 0x30 + UInt8(truncatingIfNeeded: number / 10)
        storage[offset + 1] = 0x30 + UInt8(truncatingIfNeeded: number % 10)
    }
}

// MARK: The three forms

extension HTTPDate {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func fixdate(_ bytes: UnsafeRawBufferPointer) -> Timestamp? {
        var scanner = FieldScanner(bytes)
        guard scanner.name(in: days) != nil, scanner.take(.comma), scanner.take(.space),
            let day = scanner.number(digits: 2), scanner.take(.space),
            let month = scanner.name(in: months), scanner.take(.space),
            let year = scanner.number(digits: 4), scanner.take(.space),
            let (hour, minute, second) = scanner.clock(), scanner.greenwich()
        else { return nil }
        return CivilTime(
            year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)?.timestamp
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private static func rfc850(_ bytes: UnsafeRawBufferPointer, now: Timestamp) -> Timestamp? {
        var scanner = FieldScanner(bytes)
        guard isLongDay(scanner.take(while: \.isTokenByte)), scanner.take(.comma), scanner.take(.space),
            let day = scanner.number(digits: 2), scanner.take(.dash),
            let month = scanner.name(in: months), scanner.take(.dash),
            let shortYear = scanner.number(digits: 2), scanner.take(.space),
            let (hour, minute, second) = scanner.clock(), scanner.greenwich()
        else { return nil }
        return inNearestCentury(now: now, shortYear: shortYear) { year in
            CivilTime(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
        }
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func asctime(_ bytes: UnsafeRawBufferPointer) -> Timestamp? {
        var scanner = FieldScanner(bytes)
        guard scanner.name(in: days) != nil, scanner.take(.space),
            let month = scanner.name(in: months), scanner.take(.space),
            let day = scanner.number(digits: scanner.take(.space) ? 1 : 2), scanner.take(.space),
            let (hour, minute, second) = scanner.clock(), scanner.take(.space),
            let year = scanner.number(digits: 4), scanner.isAtEnd
        else { return nil }
        return CivilTime(
            year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)?.timestamp
    }

    private static func isLongDay(_ name: UnsafeRawBufferPointer) -> Bool {
        name.isSame(as: "Sunday") || name.isSame(as: "Monday") || name.isSame(as: "Tuesday")
            || name.isSame(as: "Wednesday") || name.isSame(as: "Thursday") || name.isSame(as: "Friday")
            || name.isSame(as: "Saturday")
    }

    /// RFC 9110 §5.6.7: a two-digit year that seems more than 50 years ahead is the most recent past year
    /// with these digits. So the result is the latest such year that is at most 50 years ahead.
    private static func inNearestCentury(
        now: Timestamp, shortYear: Int, _ civil: (Int) -> CivilTime?
    ) -> Timestamp? {
        var limit = CivilTime(now)
        limit.year += 50
        let latest = limit.year / 100 * 100 + shortYear
        // Tries three centuries: the first may be too late, and the second may lack a 29 February.
        for year in [latest, latest - 100, latest - 200] {
            if let candidate = civil(year)?.timestamp, candidate <= limit.timestamp { return candidate }
        }
        return nil
    }
}

extension FieldScanner {
    /// Reads exactly this many digits.
    fileprivate mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = peek, digit.isASCIIDigit else { return nil }
            _ = take(digit)
            value = value * 10 + Int(digit - 0x30)
        }
        return value
    }

    /// Reads three letters and returns their index in `names`, a sequence of three-letter names; nil if they are not among them.
    fileprivate mutating func name(in names: StaticString) -> Int? {
        guard position + 3 <= bytes.count else { return nil }
        let wanted = bytes[position..<position + 3]
        for index in 0..<names.utf8CodeUnitCount / 3 {
            let name = UnsafeBufferPointer(start: names.utf8Start + 3 * index, count: 3)
            guard zip(wanted, name).allSatisfy({ $0.asciiLowercased == $1.asciiLowercased }) else { continue }
            for byte in wanted { _ = take(byte) }
            return index
        }
        return nil
    }

    /// Reads `08:49:37`.
    fileprivate mutating func clock() -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = number(digits: 2), take(.colon), let minute = number(digits: 2), take(.colon),
            let second = number(digits: 2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Reads ` GMT` at the end.
    fileprivate mutating func greenwich() -> Bool {
        guard take(.space), let zone = token() else { return false }
        return zone.isSame(as: "GMT") && isAtEnd
    }
}
