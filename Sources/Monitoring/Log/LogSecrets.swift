// SPDX-License-Identifier: Apache-2.0

package import Settings
package import Telemetry

extension Settings {
    /// Parameters that neither the log nor a span shows.
    package var secretParameters: SecretParameters {
        SecretParameters(log.redact, signaturesBelow: signedPlaces)
    }
}
