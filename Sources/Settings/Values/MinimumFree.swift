// SPDX-License-Identifier: Apache-2.0

/// The part of a file system that must stay free.
package enum MinimumFree: SettingValue {
    case bytes(Int)
    /// Percent of the file system's size.
    case percent(Int)

    package init?(settingText: String) {
        if settingText.hasSuffix("%") {
            guard let percent = Int(settingText.dropLast().trimming(while: \.isWhitespace)),
                (0...90).contains(percent)
            else { return nil }
            self = .percent(percent)
        } else {
            guard let count = ByteCount(settingText: settingText) else { return nil }
            self = .bytes(count.bytes)
        }
    }

    package var settingText: String {
        switch self {
        case .bytes(let bytes): ByteCount(bytes).settingText
        case .percent(let percent): "\(percent)%"
        }
    }

    package static var settingForm: String { "bytes, as 512MiB, or a part of the file system, as 2%" }
}
