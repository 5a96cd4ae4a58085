// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// Places by the names with which URLs refer to them: a mapping in the file, a list of `name=place` elsewhere.
package struct NamedPlaces: SettingValue {
    /// The places in the order of the setting; each name occurs once.
    package private(set) var list: [(name: String, place: String)] = []

    package init() {}

    /// Nil for an item without a place, a name that no URL can have, or a repeated name.
    package init?(settingText: String) {
        guard let items = [String](settingText: settingText) else { return nil }
        for item in items {
            let name = item.prefix { $0 != "=" }.trimming(while: \.isWhitespace)
            let place = item.drop { $0 != "=" }.dropFirst().trimming(while: \.isWhitespace)
            guard SourceURL.isPlaceName(name), !place.isEmpty, self[name] == nil else { return nil }
            list.append((name, place))
        }
    }

    /// True for a name that a folder or a bucket may have.
    static func isName(_ name: String) -> Bool { SourceURL.isPlaceName(name) }

    /// The place with this name; nil if there is none.
    package subscript(name: String) -> String? { list.first { $0.name == name }?.place }

    /// The places by their names.
    package var places: [String: String] {
        // Cannot trap: each name occurs once.
        Dictionary(uniqueKeysWithValues: list.map { ($0.name, $0.place) })
    }

    package var settingText: String { list.map { "\($0.name)=\($0.place)" }.joined(separator: ", ") }
    package static var settingForm: String { "a mapping of names to places, as name=place" }
    package static var isList: Bool { true }
    package static var isMapping: Bool { true }

    package static func == (a: NamedPlaces, b: NamedPlaces) -> Bool {
        a.list.elementsEqual(b.list) { $0 == $1 }
    }
}
