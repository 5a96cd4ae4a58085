// SPDX-License-Identifier: Apache-2.0

/// Where settings were set, for messages: `pictor.yaml:12`, `PICTOR_CACHE_MEMORY`, `--cache-memory`.
package struct SettingPlaces: Sendable, Equatable {
    private var byKey: [String: String] = [:]
    /// The path of the file, if it sets anything at all.
    private(set) var file: String?

    /// Values are the same wherever they were set.
    package static func == (_: Self, _: Self) -> Bool { true }

    /// The last one counts, as its value does.
    mutating func note(_ place: String, of key: String) { byKey[key] = place }

    /// Notes that the file at the path has settings.
    mutating func note(file path: String) { file = path }

    /// True if the setting's value is that of the file.
    func isOfFile(_ key: String) -> Bool {
        guard let file, let place = byKey[key] else { return false }
        return place.hasPrefix("\(file):")
    }

    /// The sentence behind the place of the first setting that it names and that somebody has set.
    package func placed(_ sentence: String) -> String {
        for word in Self.keys(in: sentence) {
            if let place = byKey[word] { return "\(place): \(sentence)" }
        }
        return sentence
    }

    /// The words of a sentence that may be keys.
    static func keys(in sentence: String) -> [String] {
        sentence.utf8.split { byte in !isKeyByte(byte) }.compactMap(String.init)
    }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
