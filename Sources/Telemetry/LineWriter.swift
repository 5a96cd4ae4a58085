// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPSemantics

/// Writes one record as logfmt, or as a JSON object on one line. Keys are the program's own and need no
/// escaping.
struct LineWriter {
    let format: AccessLine.Format
    var bytes: [UInt8]
    private var isFirst = true

    init(format: AccessLine.Format, bytes: [UInt8]) {
        self.format = format
        self.bytes = bytes
    }

    mutating func begin() { if format == .json { append("{") } }

    mutating func end() { append(format == .json ? "}\n" : "\n") }

    mutating func number(_ value: Int, as key: StaticString) {
        self.key(key)
        decimal(value.magnitude, sign: value < 0)
    }

    mutating func text(_ value: UnsafeRawBufferPointer, as key: StaticString) {
        let isPlain = begin(value, as: key)
        piece(value, isPlain: isPlain)
        if !isPlain { append("\"") }
    }

    /// Writes a request's target with its secrets replaced.
    mutating func target(
        _ value: UnsafeRawBufferPointer, as key: StaticString, hiding secrets: SecretParameters
    ) {
        let isPlain = begin(value, as: key)
        secrets.forEachPiece(of: value, .target) { piece in
            if let piece { self.piece(piece, isPlain: isPlain) } else { append(SecretParameters.replacement) }
        }
        if !isPlain { append("\"") }
    }

    /// Writes the key and the opening quotation mark, if there is one.
    /// - Returns: true if the value needs no quotation marks.
    private mutating func begin(_ value: UnsafeRawBufferPointer, as key: StaticString) -> Bool {
        self.key(key)
        let isPlain = format == .logfmt && !value.isEmpty && value.allSatisfy(Self.isPlain)
        if !isPlain { append("\"") }
        return isPlain
    }

    private mutating func piece(_ value: UnsafeRawBufferPointer, isPlain: Bool) {
        if isPlain { bytes.append(contentsOf: value) } else { quoted(value) }
    }

    private mutating func quoted(_ value: UnsafeRawBufferPointer) {
        var start = 0
        // Bytes that need no escape are copied in runs.
        for index in value.indices where Self.isEscaped(value[index]) {
            bytes.append(contentsOf: value[start..<index])
            escape(value[index])
            start = index + 1
        }
        bytes.append(contentsOf: value[start...])
    }

    /// Writes 64 lower-case hexadecimal digits.
    mutating func digest(_ digest: Digest, as key: StaticString) {
        self.key(key)
        if format == .json { append("\"") }
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: 64))
        bytes.withUnsafeMutableBufferPointer {
            digest.writeHex(to: UnsafeMutableBufferPointer(rebasing: $0[start...]))
        }
        if format == .json { append("\"") }
    }

    mutating func text(_ value: String, as key: StaticString) {
        var value = value
        value.withUTF8 { text(UnsafeRawBufferPointer($0), as: key) }
    }

    /// Writes a time in UTC as RFC 3339 spells it, from milliseconds since 1970, clamped to the years 0…9999.
    mutating func time(_ milliseconds: Int64, as key: StaticString) {
        self.key(key)
        let time = Timestamp(milliseconds: milliseconds).withFourDigitYear
        let civil = CivilTime(time)
        if format == .json { append("\"") }
        twoDigits(civil.year / 100)
        twoDigits(civil.year % 100)
        append("-")
        twoDigits(civil.month)
        append("-")
        twoDigits(civil.day)
        append("T")
        twoDigits(civil.hour)
        append(":")
        twoDigits(civil.minute)
        append(":")
        twoDigits(civil.second)
        append(".")
        let thousandths = Int(time.milliseconds - time.seconds * 1_000)
        digit(thousandths / 100)
        twoDigits(thousandths % 100)
        append("Z")
        if format == .json { append("\"") }
    }
}

extension LineWriter {
    private mutating func key(_ key: StaticString) {
        if !isFirst { append(format == .json ? "," : " ") }
        isFirst = false
        if format == .json { append("\"") }
        append(key)
        append(format == .json ? "\":" : "=")
    }

    /// True for bytes that logfmt accepts without quotes.
    private static func isPlain(_ byte: UInt8) -> Bool {
        !isEscaped(byte) && byte != 0x20 && byte != 0x3D
    }

    /// "<" is escaped because the journal splits a line after 48 KiB (`LineMax=`, journald.conf(5)) and would read `<0>` at the
    /// beginning of the rest as its priority.
    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte > 0x7E || byte == 0x22 || byte == 0x3C || byte == 0x5C
    }

    /// Escapes a byte by its number, because bytes beyond ASCII may not be UTF-8: `\xC3`, in JSON `\u00C3`.
    private mutating func escape(_ byte: UInt8) {
        if byte == 0x22 || byte == 0x5C {
            bytes.append(0x5C)
            bytes.append(byte)
        } else {
            append(format == .json ? "\\u00" : "\\x")
            bytes.append((byte >> 4).hexDigit.asciiUppercased)
            bytes.append(byte.hexDigit.asciiUppercased)
        }
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func decimal(_ magnitude: UInt, sign: Bool) {
        if sign { append("-") }
        // The digits come in reverse order. They get a buffer of their own, because reversing a slice of the array in place would
        // copy the array.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        var rest = magnitude
        repeat {
            start -= 1
            digits[start] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        for index in start..<digits.count { bytes.append(digits[index]) }
    }

    private mutating func twoDigits(_ value: Int) {
        digit(value / 10)
        digit(value % 10)
    }

    private mutating func digit(_ value: Int) { bytes.append(0x30 + UInt8(truncatingIfNeeded: value)) }
}
