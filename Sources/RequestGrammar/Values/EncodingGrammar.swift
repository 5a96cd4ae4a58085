// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension ImageFormat {
    /// The formats that can be written, by their names in URLs.
    static let written: [(String, ImageFormat)] = writable.map { ($0.fileExtension, $0) }

    /// Further names that are accepted.
    static let synonyms: [String: ImageFormat] = ["jpeg": .jpeg, "tif": .tiff]
}

extension ValueGrammar where Value == Quality {
    static var quality: Self {
        let number = ValueGrammar<Int>.integer(1...100)
        let likeness = ValueGrammar<Double>.decimal(0.5...1)
        return ValueGrammar(
            words: "\(number.words), `auto`, or `auto:` and \(likeness.words)",
            shape: .numberOr(1...100, words: ["auto"])
        ) { text in
            guard let text else { return nil }
            if text == "auto" { return .likeness(nil) }
            guard text.hasPrefix("auto:") else { return number.read(text).map { .number($0) } }
            return likeness.read(String(text.dropFirst(5))).map { .likeness($0) }
        } write: {
            switch $0 {
            case .number(let value): number.write(value)
            case .likeness(nil): "auto"
            case .likeness(let target?): "auto:" + likeness.write(target)
            }
        }
    }
}

extension ValueGrammar where Value == [Int] {
    /// Up to 256 durations, with commas between them.
    static var delays: Self {
        let delay = ValueGrammar<Int>.integer(0...655_350, in: "milliseconds")
        return ValueGrammar(words: "up to 256 of \(delay.words), with commas") {
            ValueGrammar<Int>.list(of: $0, upTo: 256, read: delay.read)
        } write: {
            $0.map(delay.write).joined(separator: ",")
        }
    }
}

extension ValueGrammar where Value == JSONExtras {
    static var jsonExtras: Self {
        let member = ValueGrammar.choice(JSONExtras.names.map { ($0.name, $0.member) })
        return ValueGrammar(words: "\(member.words), with commas") { text in
            list(of: text, upTo: JSONExtras.names.count, read: member.read)?.reduce(into: []) {
                $0.formUnion($1)
            }
        } write: { extras in
            JSONExtras.names.filter { extras.contains($0.member) }.map(\.name).joined(separator: ",")
        }
    }
}

extension ValueGrammar where Value == [ImageFormat: Int] {
    /// A format and its quality with a colon between them, written in the order of the list; of two for one format the last counts.
    static func qualities(_ names: [(String, ImageFormat)]) -> Self {
        let format = ValueGrammar<ImageFormat>.choice(names, synonyms: ImageFormat.synonyms)
        let number = ValueGrammar<Int>.integer(1...100)
        return ValueGrammar(
            words:
                "pairs as `jpg:60`, with commas, of \(names.map(\.0).joined(separator: ", ")) and \(number.words)"
        ) { text in
            let pairs = ValueGrammar<(ImageFormat, Int)>.list(of: text, upTo: 2 * names.count) { pair in
                let parts = pair.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 2, let format = format.read(parts[0]),
                    let quality = number.read(parts[1])
                else { return nil }
                return (format, quality)
            }
            return pairs.map { Dictionary($0) { _, last in last } }
        } write: { qualities in
            names.compactMap { name, format in qualities[format].map { "\(name):\($0)" } }
                .joined(separator: ",")
        }
    }
}

extension ValueGrammar where Value == Set<ImageFormat> {
    /// Names of formats with commas between them, written in the order of `names`.
    static func formats(_ names: [(String, ImageFormat)]) -> Self {
        let member = ValueGrammar<ImageFormat>.choice(names, synonyms: ImageFormat.synonyms)
        return ValueGrammar(words: "\(member.words), with commas") { text in
            ValueGrammar<ImageFormat>.list(of: text, upTo: 2 * names.count, read: member.read).map(Set.init)
        } write: { formats in
            names.filter { formats.contains($0.1) }.map(\.0).joined(separator: ",")
        }
    }
}
