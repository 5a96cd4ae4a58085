// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes

/// Readers for kinds of arguments, as imgproxy reads them.
struct ImgproxyArguments {
    /// The option's name, for refusals.
    let name: String
    let texts: [String]

    init(_ option: ImgproxyOption) { (name, texts) = (option.name, option.arguments) }

    private init(_ name: String, _ texts: [String]) { (self.name, self.texts) = (name, texts) }

    func refusal(_ allowed: String) -> ImgproxyRefusal { .arguments(name: name, allowed: allowed) }

    /// The argument; nil if it is missing or empty.
    func given(_ index: Int) -> String? {
        guard texts.indices.contains(index), !texts[index].isEmpty else { return nil }
        return texts[index]
    }

    func dropFirst(_ count: Int = 1) -> ImgproxyArguments {
        ImgproxyArguments(name, Array(texts.dropFirst(count)))
    }

    func atMost(_ count: Int, _ form: String) throws(ImgproxyRefusal) {
        guard texts.count <= count else { throw refusal(form) }
    }

    /// False for every text except the words for true.
    func flag(_ index: Int = 0) -> Bool {
        ["1", "t", "T", "TRUE", "true", "True"].contains(given(index) ?? "")
    }

    func integer(
        _ range: ClosedRange<Int>, at index: Int = 0, unit: String = ""
    ) throws(ImgproxyRefusal)
        -> Int
    {
        guard let text = given(index), let number = Int(text), range.contains(number) else {
            throw refusal("\(range.lowerBound)…\(range.upperBound)\(unit)")
        }
        return number
    }

    func number(
        _ range: ClosedRange<Double>, at index: Int = 0, or zero: Bool = false, unit: String = ""
    ) throws(ImgproxyRefusal)
        -> Double
    {
        guard let text = given(index), let number = DecimalText.readScientific(text),
            range.contains(number) || zero && number == 0
        else {
            let span = "\(DecimalText.write(range.lowerBound))…\(DecimalText.write(range.upperBound))\(unit)"
            throw refusal(zero ? "0 or \(span)" : span)
        }
        return number
    }

    /// Unix time in seconds; nil for 0.
    func time() throws(ImgproxyRefusal) -> Int64? {
        guard texts.count == 1, let time = given(0).flatMap({ Int64($0) }),
            (0...999_999_999_999).contains(time)
        else { throw refusal("a unix time in seconds") }
        return time > 0 ? time : nil
    }

    /// A colour of three or six hexadecimal digits.
    func colour(_ index: Int = 0) throws(ImgproxyRefusal) -> Color {
        let text = given(index) ?? ""
        guard [3, 6].contains(text.utf8.count), text.utf8.allSatisfy({ $0.hexDigitValue != nil }),
            let colour = Color(text)
        else { throw refusal("three or six hexadecimal digits") }
        return colour
    }

    /// - Parameter before: the gravity whose offsets apply if none are given.
    func gravity(after before: ImgproxyGravity?) throws(ImgproxyRefusal) -> ImgproxyGravity {
        let words = ImgproxyGravity.words
        let offset = before?.offset ?? (x: 0.0, y: 0.0)
        switch given(0) {
        case "sm":
            guard texts.count == 1 else { throw refusal(words) }
            return .smart
        case "fp":
            guard texts.count == 3 else { throw refusal(words) }
            return .focus(FocalPoint(x: try number(0...1, at: 1), y: try number(0...1, at: 2)))
        case "obj", "objw":
            throw .unsupported(
                option: "\(name):\(given(0) ?? "")",
                reason: "Pictor finds no objects; sm keeps what draws the eye.")
        case let side?:
            guard let point = ImgproxyGravity.sides[side], texts.count <= 3 else { throw refusal(words) }
            let range = -65_535.0...65_535.0
            return .side(
                point, x: given(1) == nil ? offset.x : try number(range, at: 1),
                y: given(2) == nil ? offset.y : try number(range, at: 2))
        case nil: throw refusal(words)
        }
    }
}
