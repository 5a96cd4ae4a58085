// SPDX-License-Identifier: Apache-2.0

/// Where settings were set, for messages: `pictor.yaml:12`, `PICTOR_CACHE_MEMORY`, `--cache-memory`.
package struct SettingPlaces: Sendable, Equatable {
    private var byKey: [String: String] = [:]
    /// The path of the file, if the file sets anything.
    private(set) var file: String?

    /// Always equal, because settings are compared by their values and not by their places.
    package static func == (_: Self, _: Self) -> Bool { true }

    /// Notes a setting's place. The last place counts, as the last value does.
    mutating func note(_ place: String, of key: String) { byKey[key] = place }

    /// Notes that the file at the path has settings.
    mutating func note(file path: String) { file = path }

    /// True if the setting's value comes from the file.
    func isOfFile(_ key: String) -> Bool {
        guard let file, let place = byKey[key] else { return false }
        return place.hasPrefix("\(file):")
    }

    /// The sentence with the place of the first setting that it names and that somebody has set in front.
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
