// SPDX-License-Identifier: Apache-2.0

internal import struct Origin.OriginProfile
package import Settings
package import SourceURLs

/// The fields of clients' requests that origins get, by the origins' profiles.
package struct PassedFieldRules: Sendable {
    private struct Place: Sendable {
        let places: [OriginProfile.Place]
        /// Nil where the profile passes nothing.
        let rule: PassedFieldRule?
    }

    /// One entry for each profile, because the first profile that matches counts here as well; empty if no profile passes a field.
    private let list: [Place]

    /// The rules in the profiles of the settings.
    package init(_ profiles: OriginProfiles) {
        let list = profiles.list.map { profile in
            Place(
                // Invalid places are reported where the profiles are read.
                places: profile.match.compactMap(OriginProfile.Place.init),
                rule: profile.passed.isEmpty
                    ? nil : PassedFieldRule(names: profile.passed, isForAll: profile.isPublic))
        }
        self.list = list.contains { $0.rule != nil } ? list : []
    }

    /// The fields that the origin of this URL gets; nil for none.
    package func rule(for url: SourceURL) -> PassedFieldRule? {
        guard !list.isEmpty, url.scheme.isWeb else { return nil }
        return list.first { $0.places.contains { $0.holds(url) } }?.rule
    }
}
