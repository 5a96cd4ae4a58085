// SPDX-License-Identifier: Apache-2.0

import Bytes
import RandomInputs
import Testing

@Suite("A decimal fraction has one spelling, in steps of 0.0001")
struct DecimalTextTests {
    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("1.5", 1.5), (".5", 0.5), ("5.", 5), ("-2.25", -2.25), ("-.5", -0.5),
            ("1.00004", 1), ("1.00005", 1.0001), ("0.00004", 0), ("-0.00006", -0.0001),
            ("999999999999999", 999_999_999_999_999),
            ("1234567890123456", 1_234_567_890_123_456), ("-1234567890123456", -1_234_567_890_123_456),
            // A third, minus three tenths and a pixel ratio as scripts write them.
            ("0.3333333333333333", 0.3333), ("-0.30000000000000004", -0.3), ("1.100000023841858", 1.1),
            ("33.333333333333336", 33.3333), ("1234567890123456.500000000000000", 1_234_567_890_123_456.5),
        ] as [(String, Double)])
    func `digits with at most one point are a number`(text: String, expected: Double) {
        #expect(DecimalText.read(text) == expected)
    }

    @Test(arguments: [
        "", "-", ".", "-.", "1e3", "0x1", "+1", "--1", "1-", "1.2.3", "..1", "1..", " 1", "1 ", "1,5", "inf",
        "nan",
        "12345678901234567", "-12345678901234567", "12345678901234567.5", "0.1234567890123456789012345678901",
        "٣", "1_000",
    ])
    func `anything else is none`(text: String) { #expect(DecimalText.read(text) == nil) }

    @Test(
        arguments: [
            ("1e-7", 0), ("5.551115123125783e-17", 0), ("-5.5e-17", 0), ("1.25e2", 125), ("5E-1", 0.5),
            ("1e+1", 10), ("1.23456e4", 12_345.6), ("1e-400", 0), ("1.5", 1.5), ("-2", -2),
        ] as [(String, Double)])
    func `as scripts write it, it may have an exponent`(text: String, expected: Double) throws {
        let number = try #require(DecimalText.readScientific(text))
        #expect(number == expected && (number != 0 || number.sign == .plus))
    }

    @Test(arguments: [
        "e1", "-e1", "1e", "1e-", "1e1.5", "1e21", "1e-401", "1e 1", "1ee1", "1e1e1", "0x1e1", "1.2.3e1",
        "inf",
        "1e99999999999999999999",
    ])
    func `and no other exponent`(text: String) { #expect(DecimalText.readScientific(text) == nil) }

    @Test func `a minus sign makes the number below zero that is as far from it`() {
        for number in ["1", "2", "9", "10", "0.0001", "1.0001", "0.5", "100000"] {
            #expect(DecimalText.read("-" + number) == DecimalText.read(number).map { -$0 }, "\(number)")
            #expect(DecimalText.read("-" + number) ?? 0 < 0, "\(number)")
        }
    }

    @Test(arguments: ["0", "-0", "-0.0", "-.00001", "-0.00004"])
    func `no zero has a sign`(text: String) throws {
        #expect(try #require(DecimalText.read(text)).sign == .plus)
    }

    @Test(
        arguments: [
            (0, "0"), (7, "7"), (-3, "-3"), (0.5, "0.5"), (-0.25, "-0.25"), (0.0001, "0.0001"),
            (33.3333, "33.3333"),
            (16_384, "16384"), (999_999_999, "999999999"), (12_345.6789, "12345.6789"),
        ] as [(Double, String)])
    func `it is written with no digit too many`(number: Double, text: String) {
        #expect(DecimalText.write(number) == text)
    }

    @Test func `every step is read back from what is written, and has no exponent`() {
        var random = SeededRandom(for: "decimal fractions")
        for _ in 0..<20_000 {
            let number = Double(Int.random(in: -9_999_999...9_999_999, using: &random)) / 10_000
            let text = DecimalText.write(number)
            #expect(
                text.utf8.allSatisfy {
                    $0.isASCIIDigit || [UInt8(ascii: "."), UInt8(ascii: "-")].contains($0)
                })
            #expect(DecimalText.read(text) == number, "\(text)")
            #expect(DecimalText.quantised(number) == number)
        }
    }

    @Test func `a product is rounded to the nearest step`() {
        #expect(DecimalText.quantised(0.1 * 3) == 0.3)
        #expect(DecimalText.quantised(33.3 * 1.1) == 36.63)
        #expect(DecimalText.quantised(0.00005) == 0.0001)
        #expect(DecimalText.quantised(0.000049) == 0)
        #expect(DecimalText.quantised(-1.23456) == -1.2346)
    }
}
