// SPDX-License-Identifier: Apache-2.0

internal import struct Origin.OriginProfile
package import Settings
package import SourceURLs

/// The fields of clients' requests that origins are told, by the origins' profiles.
package struct PassedFieldRules: Sendable {
    private struct Place: Sendable {
        let places: [OriginProfile.Place]
        /// Nil where the profile passes nothing.
        let rule: PassedFieldRule?
    }

    /// One for each profile, so that the first that matches counts here as well; empty if none passes anything.
    private let list: [Place]

    /// By the settings' profiles.
    package init(_ profiles: OriginProfiles) {
        let list = profiles.list.map { profile in
            Place(
                // Places that are none are told where the profiles are made.
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
