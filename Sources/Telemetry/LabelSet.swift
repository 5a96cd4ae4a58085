// SPDX-License-Identifier: Apache-2.0

/// The labels of a metric, with all combinations of their values numbered from 0 without gaps. The number is the index of the
/// combination's counter, so counting takes one atomic addition.
package protocol LabelSet: Sendable {
    static var names: [String] { get }
    /// The number of combinations.
    static var count: Int { get }
    var index: Int { get }
    /// The values of one combination, in the order of `names`.
    static func values(at index: Int) -> [String]
}

extension LabelSet {
    /// The names and values of one combination.
    static func pairs(at index: Int) -> [(String, String)] { Array(zip(names, values(at: index))) }

    /// The values of each label, in the order of `names`.
    static var valuesByName: [[String]] {
        var columns: [[String]] = names.map { _ in [] }
        for combination in (0..<count).map(values(at:)) {
            columns = zip(columns, combination).map { column, value in
                column.contains(value) ? column : column + [value]
            }
        }
        return columns
    }
}

/// A closed set of values of one label. The raw values are 0, 1, 2, … in the order of the cases.
package protocol Label: LabelSet, CaseIterable, RawRepresentable where RawValue == Int {
    static var name: String { get }
    /// The value's text on the page.
    var value: String { get }
}

extension Label {
    package static var names: [String] { [name] }
    package static var count: Int { allCases.count }
    package var index: Int { rawValue }
    package var value: String { "\(self)" }
    package static func values(at index: Int) -> [String] {
        allCases.filter { $0.rawValue == index }.map(\.value)
    }
}

/// The labels of a metric with a single number.
package struct NoLabels: LabelSet {
    package static var names: [String] { [] }
    package static var count: Int { 1 }
    package var index: Int { 0 }
    package static func values(at index: Int) -> [String] { [] }
}
