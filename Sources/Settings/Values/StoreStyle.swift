// SPDX-License-Identifier: Apache-2.0

/// Where a bucket's name stands in a store's URLs.
package enum StoreStyle: String, SettingValue, CaseIterable {
    case path, host
    package init?(settingText: String) { self.init(rawValue: settingText.lowercased()) }
    package var settingText: String { rawValue }
    package static var settingForm: String { allCases.map(\.rawValue).joined(separator: " or ") }
}
