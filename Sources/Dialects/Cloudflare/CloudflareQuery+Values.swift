// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes

/// Readers for kinds of values; each returns nil if the option is not given.
extension CloudflareQuery {
    func refusal(_ name: String, _ allowed: String) -> CloudflareRefusal {
        .value(name: name, allowed: allowed)
    }

    func choice<Value>(
        _ name: String, _ values: KeyValuePairs<String, Value>
    ) throws(CloudflareRefusal) -> Value? {
        guard let text = given[name] else { return nil }
        guard let value = values.first(where: { $0.key == text })?.value else {
            throw refusal(name, values.map { "`\($0.key)`" }.joined(separator: ", "))
        }
        return value
    }

    func number(
        _ name: String, _ range: ClosedRange<Double>, or extra: Double? = nil
    ) throws(CloudflareRefusal) -> Double? {
        guard let text = given[name] else { return nil }
        guard let number = DecimalText.read(text), range.contains(number) || number == extra else {
            let span = "\(DecimalText.write(range.lowerBound))…\(DecimalText.write(range.upperBound))"
            throw refusal(name, extra.map { "\(DecimalText.write($0)) or \(span)" } ?? span)
        }
        return number
    }

    /// A factor; nil if the option is not given, and for 0, which means no change.
    func factor(_ name: String, _ range: ClosedRange<Double>) throws(CloudflareRefusal) -> Double? {
        let number = try number(name, range, or: 0)
        return number == 0 ? nil : number
    }

    /// A side; nil if the other side decides it, as for `height=` and `height=auto`.
    func side(_ name: String) throws(CloudflareRefusal) -> Recipe.Length? {
        guard let text = given[name], !text.isEmpty, text != "auto" else { return nil }
        let range = Recipe.Length.pixelRange
        guard text.utf8.allSatisfy(\.isASCIIDigit), let pixels = Int(text), range.contains(pixels) else {
            throw refusal(name, "\(range.lowerBound)…\(range.upperBound) pixels")
        }
        return .pixels(pixels)
    }

    func colour(_ name: String) throws(CloudflareRefusal) -> Color? {
        guard let text = given[name] else { return nil }
        guard let colour = CloudflareColor.read(text) else { throw refusal(name, CloudflareColor.words) }
        return colour
    }

    func quality(_ name: String) throws(CloudflareRefusal) -> Quality? {
        guard let text = given[name] else { return nil }
        if let likeness = Self.likenesses[text] { return .likeness(likeness) }
        guard text.utf8.allSatisfy(\.isASCIIDigit), let number = Int(text), (1...100).contains(number) else {
            throw refusal(name, "1…100, `high`, `medium-high`, `medium-low` or `low`")
        }
        return .number(number)
    }

    /// Cloudflare's perceptual qualities, on the scale of `q=auto`, by which they look the same.
    private static let likenesses = ["high": 0.9, "medium-high": 0.8, "medium-low": 0.65, "low": 0.5]
}
