// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import RandomInputs
import Recipes
import RequestGrammar
import Testing

@Suite("A value of wsrv.nl is read as far as it makes sense, and nothing where it makes none")
struct WeservValueTests {
    private func native(_ text: String, _ option: String) -> String? { WeservValue.native(text, of: option) }

    @Test(
        arguments: [
            ("12", "12"), ("12px", "12"), (" 12", "12"), ("+12", "12"), ("012", "12"), ("1.9", "1"),
            ("16384", "16384"),
            ("16385", "16384"), ("10000000", "16384"), ("10000001", nil), ("0", nil), ("00", nil),
            ("-1", nil), ("", nil),
            ("x", nil), ("--1", nil), ("+-1", nil), ("50%", "50%"), ("100%", "100%"), ("100.1%", nil),
            ("-1%", nil),
            ("0%", nil), ("0.00001%", nil), ("0.5%", "0.5%"), (".5%", "0.5%"), ("33.33333%", "33.3333%"),
            ("%", nil),
        ] as [(String, String?)])
    func `a side is pixels or percent, and more than nothing`(text: String, expected: String?) {
        #expect(native(text, "w") == expected)
        #expect(native(text, "h") == expected)
    }

    @Test(
        arguments: [
            ("1e-7", "0"), ("5.551115123125783e-17", "0"), (".5e0", "0.5"), ("5E-1", "0.5"),
            ("50e-2x", "0.5"),
            ("0.5e", "0.5"), ("0.5e-", "0.5"), ("0.5e--1", "0.5"), ("0.5ex", "0.5"), ("1e1", nil),
            ("1e400", nil), ("1e999", nil), ("-1e-1", nil), ("e1", nil), ("1e1000", nil), ("1e-20", "0"),
            ("1e-40", nil), ("1e-1000", nil), ("0.0e-1000", "0"),
        ] as [(String, String?)])
    func `a fraction may have an exponent, as scripts write it`(text: String, expected: String?) {
        for option in ["fpx", "fpy"] { #expect(native(text, option) == expected, "\(option)") }
    }

    @Test(
        arguments: [
            ("0", "0"), ("65535", "65535"), ("65536", "65535"), ("-1", nil), ("0%", "0%"), ("100%", "100%"),
            ("101%", nil),
            ("12.7", "12"), ("a", nil),
        ] as [(String, String?)])
    func `an edge may be nothing`(text: String, expected: String?) {
        for option in ["cx", "cy", "cw", "ch"] { #expect(native(text, option) == expected, "\(option)") }
    }

    /// The least and the greatest value of each option, and values beyond.
    @Test(arguments: [
        ("bri", "-100", "100", "-101", "101"), ("con", "-100", "100", "-101", "101"),
        ("trim", "1", "254", "0", "255"),
        ("q", "1", "100", "0", "101"), ("l", "0", "9", "-1", "10"), ("page", "-2", "100000", "-3", "100001"),
        ("loop", "0", "65535", "-1", "65536"), ("dpr", "0.1", "8", "0.09", "8.1"),
        ("fpx", "0", "1", "-0.1", "1.1"),
        ("fpy", "0", "1", "-0.1", "1.1"), ("mod", "0", "10000", "-0.1", "10000.1"),
        ("sat", "0", "10000", "-1", "10001"),
        ("sharpf", "0", "1000000", "-1", "1000001"), ("sharpj", "0", "1000000", "-1", "1000001"),
        ("maxage", "86400", "31536000", "86399", "31536001"),
    ])
    func `a number beyond its range is none`(
        option: String, least: String, most: String, below: String, above: String
    ) {
        #expect(native(least, option) == least)
        #expect(native(most, option) == most)
        #expect(native(below, option) == nil)
        #expect(native(above, option) == nil)
    }

    @Test(
        arguments: [
            ("gam", "1", "1"), ("gam", "3", "3"), ("gam", "0.9", "2.2"), ("gam", "3.1", "2.2"),
            ("gam", "x", "2.2"), ("gam", "0", nil),
            ("blur", "0.3", "0.3"), ("blur", "1000", "1000"), ("blur", "0.2", "mild"),
            ("blur", "1001", "mild"),
            ("blur", "-1", "mild"), ("blur", "0.0", nil), ("sharp", "10", "10"), ("sharp", "10.1", "mild"),
            ("sharp", "0.000001", "0.0001"), ("sharp", "0.0000001", "mild"), ("sharp", "0", nil),
            ("sharp", "", "mild"),
        ] as [(String, String, String?)])
    func `an effect is off at nought, and mild where its strength makes no sense`(
        option: String, text: String, expected: String?
    ) {
        #expect(native(text, option) == expected)
    }

    @Test(
        arguments: [
            ("1", "1"), ("256", "256"), ("257", "256"), ("9999999", "256"), ("-1", "-1"), ("0", nil),
            ("-2", nil), ("x", "-1"), ("", "-1"), ("10000001", "-1"),
        ] as [(String, String?)])
    func `frames are all, or as many as there may be`(text: String, expected: String?) {
        #expect(native(text, "n") == expected)
    }

    @Test(
        arguments: [
            ("100", "100"), ("0", "0"), ("1,2,3", "1,2,3"), ("1,,3", "1,3"), ("700000", "655350"),
            ("-1", nil), ("1,-1", nil),
            ("1,x", nil), ("", nil), (",", nil), ("1.5,2s", "1,2"),
        ] as [(String, String?)])
    func `delays are milliseconds, none of them negative`(text: String, expected: String?) {
        #expect(native(text, "delay") == expected)
    }

    @Test func `of delays no more are kept than there may be`() {
        let many = Array(repeating: "7", count: 300).joined(separator: ",")
        #expect(native(many, "delay") == Array(repeating: "7", count: 256).joined(separator: ","))
    }

    @Test(arguments: [
        ("0", "0"), ("false", "0"), ("1", "1"), ("true", "1"), ("", "1"), ("-1", "1"), ("no", "1"),
        ("FALSE", "1"),
    ])
    func `a flag is off at nought and at false alone`(text: String, expected: String) {
        let flags = OptionTable.rows.filter { $0.shape == .flag }.map(\.name)
        #expect(
            Set(flags).isSuperset(
                of: ["we", "precrop", "mtrim", "flip", "flop", "il", "ll", "af", "linear", "attachment"]))
        for option in flags { #expect(native(text, option) == expected, "\(option)") }
    }

    @Test func `a colour that is none is transparent`() {
        for option in ["mbg", "rbg", "bg", "cbg", "tint", "start", "stop"] {
            #expect(native("red", option) == "red")
            #expect(native("#1f3", option) == "#1f3")
            for text in ["", "rot", "12345"] { #expect(native(text, option) == "transparent", "\(option)") }
        }
    }

    @Test(
        arguments: [
            ("ro", "90", "90"), ("ro", "450", "90"), ("ro", "-450", "-90"), ("ro", "x", nil),
            ("hue", "360", "0"), ("hue", "-30", "-30"),
            ("fit", "square", "cover"), ("fit", "squaredown", "cover"), ("fit", "fitup", "inside"),
            ("fit", "absolute", "fill"),
            ("fit", "letterbox", "contain"), ("fit", "crop-50-50", "cover"), ("fit", "cover", "cover"),
            ("output", "av1", "avif"),
            ("output", "webp", "webp"), ("q", "auto", "auto"), ("q", "auto:0.9", "auto:0.9"),
            ("maxage", "1d", "86400"),
            ("maxage", "1y", "31536000"), ("maxage", "x", nil), ("filename", "a.b", nil),
        ] as [(String, String, String?)])
    func `words of old are told in ours`(option: String, text: String, expected: String?) {
        #expect(native(text, option) == expected)
    }

    @Test(
        arguments: [
            ("7", 7), ("-7", -7), ("+7", 7), ("  7", 7), ("7 8", 7), ("7-8", 7), ("10000000", 10_000_000),
            ("-10000000", -10_000_000),
            ("10000001", nil), ("99999999999999999999", nil), ("", nil), ("-", nil), ("٣", nil), ("\t7", nil),
            ("0x10", 0),
        ] as [(String, Int?)])
    func `what begins with a number is that number`(text: String, expected: Int?) {
        #expect(WeservValue.integer(text) == expected)
    }

    @Test func `whatever is made of a value is a value of ours, or is passed over`() throws {
        var random = SeededRandom(for: "weserv values")
        let letters = Array("0123456789.,-+% %ax").map(String.init)
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? ""
            }.joined()
            for option in OptionTable.rows.map(\.name) {
                guard let value = native(text, option),
                    ["w", "h", "n", "loop", "delay", "q", "l", "trim", "bri", "con"].contains(option)
                else { continue }
                let row = try #require(OptionTable.option(named: option))
                var (recipe, delivery) = (Recipe(), Delivery())
                // A percentage may be smaller than the smallest that is allowed.
                guard !value.hasSuffix("%") else { continue }
                #expect(row.set(value, in: &recipe, &delivery), "\(option)=\(text) became \(value)")
            }
        }
    }
}
