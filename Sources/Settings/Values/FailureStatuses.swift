// SPDX-License-Identifier: Apache-2.0

/// Statuses of failures, single ones or classes, such as `404, 410, 5xx`.
package struct FailureStatuses: SettingValue {
    /// The statuses; empty if none is named.
    package var ranges: [ClosedRange<Int>] = []

    package init() {}

    package init?(settingText: String) {
        guard let items = [String](settingText: settingText) else { return nil }
        let ranges = items.compactMap(Self.range)
        guard ranges.count == items.count else { return nil }
        self.ranges = ranges
    }

    private static func range(_ text: String) -> ClosedRange<Int>? {
        switch text.lowercased() {
        case "4xx": return 400...499
        case "5xx": return 500...599
        default:
            guard let status = Int(text), (400...599).contains(status) else { return nil }
            return status...status
        }
    }

    package var settingText: String {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound / 100)xx" }.joined(separator: ", ")
    }
    package static var settingForm: String { "a list of 400 to 599, 4xx and 5xx" }
    package static var isList: Bool { true }
}
