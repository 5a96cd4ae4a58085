// SPDX-License-Identifier: Apache-2.0

/// The form of an option's values, for programs that offer a control for it. The grammar itself decides which values are valid;
/// `text` is the form of values that have no simpler one.
package enum ValueShape: Sendable, Equatable {
    /// Whole numbers; `extra` is allowed in addition to the range.
    case integer(ClosedRange<Int>, extra: Int?)
    case decimal(ClosedRange<Double>)
    case flag
    /// One of these names.
    case choice([String])
    /// Pixels, or percent.
    case length
    case color
    /// One of the numbers, or one of these words.
    case numberOr(ClosedRange<Double>, words: [String])
    case text
}

extension ValueShape {
    /// A choice with one further name; any other form unchanged.
    func adding(_ name: String) -> ValueShape {
        if case .choice(let names) = self { .choice(names + [name]) } else { self }
    }
}
