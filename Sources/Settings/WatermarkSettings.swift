// SPDX-License-Identifier: Apache-2.0

internal import RequestGrammar

extension Settings {
    /// The URL or the path of each watermark, by name; it is not checked whether a picture is there.
    /// - Throws: for a malformed item, or a name that occurs twice.
    package var watermarkPlaces: [String: String] {
        get throws(UnusableSetting) {
            var places: [String: String] = [:]
            for text in options.watermarks {
                let name = String(text.prefix { $0 != "=" })
                let place = String(text.dropFirst(name.count + 1))
                guard ConfiguredName.isValid(name), !place.isEmpty else {
                    throw Self.unusable("\"\(text)\" is not name=https://… or name=/path/of/a/file")
                }
                guard places[name] == nil else { throw Self.unusable("\"\(name)\" is given twice") }
                places[name] = place
            }
            return places
        }
    }

    private static func unusable(_ words: String) -> UnusableSetting {
        UnusableSetting(description: "options.watermarks: \(words)")
    }
}
