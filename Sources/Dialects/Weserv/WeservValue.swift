// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes
internal import RequestGrammar
internal import SourceURLs

/// Converts weserv's values to those of the option table; nil = as if the key were absent.
enum WeservValue {
    static func native(_ text: String, of option: String) -> String? {
        switch option {
        case "w", "h": side(text)
        case "cx", "cy", "cw", "ch": coordinate(text, upTo: Crop.pixelRange.upperBound)
        case "dpr": decimal(text, in: 0.1...8)
        case "fpx", "fpy": decimal(text, in: 0...1)
        case "fit": fits[text] ?? (text.hasPrefix("crop") ? "cover" : text)
        case "mbg", "rbg", "bg", "cbg", "tint", "start", "stop":
            Color(text) == nil ? "transparent" : text
        case "ro", "hue": integer(text).map { String($0 % 360) }
        case "bri", "con": integer(text, in: -100...100)
        case "trim": integer(text, in: 1...254)
        case "mod", "sat": decimal(text, in: 0...10_000)
        case "gam": effect(text, in: 1...3, otherwise: "2.2")
        case "blur": effect(text, in: 0.3...1_000, otherwise: "mild")
        case "cblur": effect(text, in: 0.3...1_000, otherwise: "25")
        case "sharp": effect(text, in: 0.000_001...10, otherwise: "mild")
        case "sharpf", "sharpj": decimal(text, in: 0...1_000_000)
        case "q": integer(text, in: 1...100) ?? (text.hasPrefix("auto") ? text : nil)
        case "l": integer(text, in: 0...9)
        case "page": page(text)
        case "n": pages(text)
        case "loop": integer(text, in: 0...65_535)
        case "delay": delays(text)
        case "output": text == "av1" ? "avif" : text
        case "maxage": lifetime(text)
        case "encoding": text.lowercased()
        case "filename": name(text)
        case "default": text == "1" ? text : WeservQuery.fallback(text)?.absolute
        // A key without a value has −1, which is no flag.
        default: OptionTable.option(named: option)?.shape == .flag ? flag(text) : text
        }
    }

    private static let fits = [
        "fitup": "inside", "square": "cover", "squaredown": "cover", "absolute": "fill",
        "letterbox": "contain", "auto": "inside",
    ]

    private static func flag(_ text: String) -> String { text == "0" || text == "false" ? "0" : "1" }

    /// A file name: letters and digits only (`set_content_disposition_header` in src/nginx/header.cpp).
    private static func name(_ text: String) -> String? {
        let isName =
            (1...78).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
        return isName ? text : nil
    }

    // MARK: Numbers

    /// A number as `std::stoi` reads it: text that begins with a number is that number. Beyond libvips' longest side it is none.
    static func integer(_ text: String) -> Int? {
        let text = text.drop { $0 == " " }
        let sign = text.prefix { $0 == "-" || $0 == "+" }
        let digits = text.dropFirst(sign.count).prefix { ("0"..."9").contains($0) }
        guard sign.count <= 1, !digits.isEmpty, let number = Int(digits), number <= 10_000_000 else {
            return nil
        }
        return sign == "-" ? -number : number
    }

    private static func integer(_ text: String, in range: ClosedRange<Int>) -> String? {
        integer(text).flatMap { range.contains($0) ? String($0) : nil }
    }

    /// A number as `std::stof` reads it, without infinities. One that is not 0 but too small for a `Float` is none.
    private static func decimal(_ text: String) -> Double? {
        let text = text.drop { $0 == " " }
        let sign = text.prefix { $0 == "-" || $0 == "+" }
        let body = text.dropFirst(sign.count)
        let whole = body.prefix { ("0"..."9").contains($0) }
        let rest = body.dropFirst(whole.count)
        let fraction = rest.first == "." ? rest.dropFirst().prefix { ("0"..."9").contains($0) } : ""
        let behind = rest.dropFirst(rest.first == "." ? fraction.count + 1 : 0)
        guard sign.count <= 1, !whole.isEmpty || !fraction.isEmpty,
            let number = Double("0\(whole).\(fraction)0\(exponent(behind))"), number <= 10_000_000,
            number >= Double(Float.leastNormalMagnitude) || (whole + fraction).allSatisfy({ $0 == "0" })
        else { return nil }
        return sign == "-" ? -number : number
    }

    /// The exponent at the front of a text, as scripts write it in numbers below a millionth; empty if there is none.
    private static func exponent(_ text: Substring) -> String {
        let rest = text.dropFirst()
        let sign = rest.prefix { $0 == "-" || $0 == "+" }
        let digits = rest.dropFirst(sign.count).prefix { ("0"..."9").contains($0) }
        guard text.first == "e" || text.first == "E", sign.count <= 1, !digits.isEmpty else {
            return ""
        }
        return "e\(sign)\(digits)"
    }

    private static func decimal(_ text: String, in range: ClosedRange<Double>) -> String? {
        decimal(text).flatMap { range.contains($0) ? DecimalText.write(DecimalText.quantised($0)) : nil }
    }

    /// An effect is off at 0, and has its mild form if its strength is invalid.
    private static func effect(_ text: String, in range: ClosedRange<Double>, otherwise: String) -> String? {
        let number = decimal(text) ?? -1
        if number == 0 { return nil }
        guard range.contains(number) else { return otherwise }
        return DecimalText.write(max(DecimalText.quantised(number), 0.0001))
    }

    // MARK: Lengths and lists

    /// A side of the box: clamped to the largest allowed; 0 means none.
    private static func side(_ text: String) -> String? {
        coordinate(text, upTo: Recipe.Length.pixelRange.upperBound).flatMap {
            ["0", "0%"].contains($0) ? nil : $0
        }
    }

    /// Pixels, or 0–100 percent of the picture.
    private static func coordinate(_ text: String, upTo longest: Int) -> String? {
        if text.hasSuffix("%") {
            return decimal(String(text.dropLast()), in: 0...100).map { $0 + "%" }
        }
        return integer(text).flatMap { $0 < 0 ? nil : String(min($0, longest)) }
    }

    /// A lifetime from a day to a year in seconds, of a time as nginx writes it (`1w2d`): every unit once, longer ones first, and seconds
    /// without a unit.
    private static func lifetime(_ text: String) -> String? {
        var (rest, seconds, units) = (text[...], 0, "yMwdhms"[...])
        while !rest.isEmpty {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            let unit = rest.dropFirst(digits.count).first ?? "s"
            guard let place = units.firstIndex(of: unit), let part = Delivery.lifetime("\(digits)\(unit)")
            else { return nil }
            seconds += part
            units = units[place...].dropFirst()
            rest = rest.dropFirst(digits.count + 1)
        }
        return (86_400...31_536_000).contains(seconds) ? String(seconds) : nil
    }

    /// The first page. What is no number is −1, the largest page, as in weserv.
    private static func page(_ text: String) -> String? {
        let number = integer(text) ?? -1
        return (-2...100_000).contains(number) ? String(number) : nil
    }

    /// The number of pages. What is no number is −1, all of them, as in weserv.
    private static func pages(_ text: String) -> String? {
        let number = integer(text) ?? -1
        guard number == -1 || number > 0 else { return nil }
        return String(min(number, 256))
    }

    /// A list of delays; nil if one of them is negative.
    private static func delays(_ text: String) -> String? {
        let delays = text.split(separator: ",").prefix(256).map { integer(String($0)) ?? -1 }
        guard !delays.isEmpty, delays.allSatisfy({ $0 >= 0 }) else { return nil }
        return delays.map { String(min($0, 655_350)) }.joined(separator: ",")
    }
}
