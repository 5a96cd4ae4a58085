// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// A colour that a URL names, or one that is taken from the picture.
enum Paint: Sendable, Hashable {
    case color(Color)
    case sample(ColourSample)

    var color: Color? { if case .color(let color) = self { color } else { nil } }
    var sample: ColourSample? { if case .sample(let sample) = self { sample } else { nil } }
}

extension ValueGrammar where Value == Paint {
    /// Any colour, or one of these samples' names.
    static func paint(_ samples: [ColourSample]) -> Self {
        let color = ValueGrammar<Color>.color
        let sample = ValueGrammar<ColourSample>.choice(samples.map { ($0.rawValue, $0) })
        return ValueGrammar(words: "\(color.words); or \(sample.words)", shape: .color) {
            text in
            sample.read(text).map { .sample($0) } ?? color.read(text).map { .color($0) }
        } write: {
            switch $0 {
            case .color(let value): color.write(value)
            case .sample(let value): sample.write(value)
            }
        }
    }
}

extension ValueGrammar where Value == Brightness {
    /// One number, or one for each channel.
    static var brightness: Self {
        let number = ValueGrammar<Int>.integer(Brightness.range)
        return ValueGrammar(words: "\(number.words), or three of them with commas", shape: number.shape) {
            text in
            guard let parts = ValueGrammar<Int>.list(of: text, upTo: 3, read: number.read) else { return nil }
            switch parts.count {
            case 1: return Brightness(parts[0])
            case 3: return Brightness(red: parts[0], green: parts[1], blue: parts[2])
            default: return nil
            }
        } write: {
            ($0.isEven ? [$0.red] : [$0.red, $0.green, $0.blue]).map(number.write).joined(separator: ",")
        }
    }
}
