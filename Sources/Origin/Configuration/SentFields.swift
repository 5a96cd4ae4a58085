// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
package import HTTPSemantics
package import SourceURLs

/// The fields that requests send to origins, as far as an origin may choose its answer by them (`Vary`), by the rules of one
/// moment.
///
/// A profile's fields may be secrets, so codes stand for its values. Conditions, signatures and fields of clients are left
/// out: the first two choose no answer, and the last are in the original's key. For where redirects led, the rules by which they
/// were followed are among them (`RedirectRules`).
package struct SentFields: Sendable {
    /// The fields of every request.
    private let fields: Fields
    private let profiles: [OriginProfile]
    private let redirectRules: String

    init(_ fields: Fields, _ configuration: OriginConfiguration) {
        (self.fields, profiles) = (fields, configuration.profiles)
        redirectRules = configuration.policyCode
    }

    /// To the URL's own origin.
    package func directly(_ url: SourceURL) -> Fields {
        guard let profile = profiles.profile(for: url) else { return fields }
        var sent = fields
        sent.replace(by: profile.fields.map { Fields.Field($0.name, Self.code($0.value)) })
        return sent
    }

    /// To all origins that a redirect may lead to. Where it led is not known afterwards; but as long as this is the
    /// same in a field, each origin gets the same in it.
    package var anywhere: Fields {
        var sent = fields
        // Another profile may have come before one whose places stayed as they were.
        let places = profiles.map { $0.places.map(\.text).joined(separator: " ") }.joined(separator: "\n")
        for (number, profile) in profiles.enumerated() {
            for field in profile.fields {
                sent.append(field.name, Self.code("\(places)\n\(number)\n\(field.value)"))
            }
        }
        sent.append(RedirectRules.field, redirectRules)
        return sent
    }

    private static func code(_ text: String) -> String { SHA256.digest(of: text.utf8).hex }
}

extension OriginConfiguration {
    /// - Parameter fields: of every request, where they are not this configuration's.
    package func sentFields(_ fields: Fields? = nil) -> SentFields {
        SentFields(fields ?? requestFields, self)
    }
}
