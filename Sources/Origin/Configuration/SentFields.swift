// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
package import HTTPSemantics
package import SourceURLs

/// The fields of requests by which an origin may choose its answer (`Vary`), under the configuration of one moment.
///
/// Values of a profile's fields may be secrets, so codes replace them. Conditions and signatures are left out because they do not
/// choose the answer, and clients' fields because they are in the original's key. For redirected fetches, the rules under which
/// redirects were followed are added (`RedirectRules`).
package struct SentFields: Sendable {
    /// The fields of every request.
    private let fields: Fields
    private let profiles: [OriginProfile]
    private let redirectRules: String

    init(_ fields: Fields, _ configuration: OriginConfiguration) {
        (self.fields, profiles) = (fields, configuration.profiles)
        redirectRules = configuration.policyCode
    }

    /// The fields that are sent to the URL's own origin.
    package func directly(_ url: SourceURL) -> Fields {
        guard let profile = profiles.profile(for: url) else { return fields }
        var sent = fields
        sent.replace(by: profile.fields.map { Fields.Field($0.name, Self.code($0.value)) })
        return sent
    }

    /// The fields that may be sent to any origin behind a redirect. Which origin it was is not known afterwards; but while a
    /// field is unchanged here, every origin gets the same value.
    package var anywhere: Fields {
        var sent = fields
        // The places are included because another profile may now come before one whose own places did not change.
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
    /// - Parameter fields: the fields of every request, if they differ from this configuration's.
    package func sentFields(_ fields: Fields? = nil) -> SentFields {
        SentFields(fields ?? requestFields, self)
    }
}
