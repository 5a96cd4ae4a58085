// SPDX-License-Identifier: Apache-2.0

package import Settings
package import Telemetry

extension Settings {
    /// The parameters whose values are hidden in logs and spans: those in `log.redact`, and those that profiles leave out of
    /// cache keys because they only grant access.
    package var secretParameters: SecretParameters {
        // If the profiles cannot be read, the code that uses them reports that.
        let profiles = (try? originProfiles) ?? OriginProfiles()
        return SecretParameters(
            log.redact, patterns: profiles.list.flatMap(\.unkeyed), signaturesBelow: signedPlaces,
            openBelow: openPlaces)
    }
}
