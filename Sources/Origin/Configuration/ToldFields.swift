// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
package import HTTPSemantics
package import SourceURLs

/// What requests tell origins of Pictor, as far as an origin may choose its answer by it (`Vary`), by the rules of one moment.
///
/// What a profile sets may be a secret, so codes stand for its values. Conditions, signatures and fields of clients are left
/// out: the first two choose no answer, and the last are in the original's key.
package struct ToldFields: Sendable {
    /// Of every request.
    private let fields: Fields
    private let profiles: [OriginProfile]

    init(_ fields: Fields, _ configuration: OriginConfiguration) {
        (self.fields, profiles) = (fields, configuration.profiles)
    }

    /// What the URL's own origin is told.
    package func directly(_ url: SourceURL) -> Fields {
        guard let profile = profiles.profile(for: url) else { return fields }
        var told = fields
        for field in profile.fields { told.remove(field.name) }
        for field in profile.fields { told.append(field.name, Self.code(field.value)) }
        return told
    }

    /// What origins are told wherever a redirect may lead. Where it led is not known afterwards; but as long as this is the
    /// same in a field, each origin is told the same in it.
    package var anywhere: Fields {
        var told = fields
        // Another profile may have come before one whose places stayed as they were.
        let places = profiles.map { $0.places.map(\.text).joined(separator: " ") }.joined(separator: "\n")
        for (number, profile) in profiles.enumerated() {
            for field in profile.fields {
                told.append(field.name, Self.code("\(places)\n\(number)\n\(field.value)"))
            }
        }
        return told
    }

    private static func code(_ text: String) -> String { SHA256.digest(of: text.utf8).hex }
}

extension OriginConfiguration {
    /// - Parameter fields: of every request, where they are not this configuration's.
    package func told(_ fields: Fields? = nil) -> ToldFields { ToldFields(fields ?? requestFields, self) }
}
