// SPDX-License-Identifier: Apache-2.0

internal import Settings

/// Lists of numbers in the settings.
enum SettingNumbers {
    /// - Parameter key: the setting's name, for the error.
    static func read(
        _ texts: [String], _ range: ClosedRange<Int>, _ key: String
    ) throws(UnusableSetting) -> Set<Int> {
        var numbers: Set<Int> = []
        for text in texts {
            guard let number = Int(text), range.contains(number) else {
                throw UnusableSetting(
                    description:
                        "\(key): \"\(text)\" is no number from \(range.lowerBound) to \(range.upperBound)")
            }
            numbers.insert(number)
        }
        return numbers
    }
}
