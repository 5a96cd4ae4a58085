// SPDX-License-Identifier: Apache-2.0

package import Settings
package import Telemetry

extension Settings {
    /// Parameters whose values neither a log nor a span shows: those of the settings, and those that profiles leave out of keys
    /// because they open a picture.
    package var secretParameters: SecretParameters {
        // Profiles that cannot be read are told where they are used.
        let profiles = (try? originProfiles) ?? OriginProfiles()
        return SecretParameters(
            log.redact, patterns: profiles.list.flatMap(\.unkeyed), signaturesBelow: signedPlaces,
            openBelow: openPlaces)
    }
}
