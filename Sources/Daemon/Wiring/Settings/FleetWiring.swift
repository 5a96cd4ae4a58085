// SPDX-License-Identifier: Apache-2.0

internal import Fleet
internal import Origin
internal import Settings

extension Settings {
    /// How to connect to the fleet's Redis; nil without a fleet.
    /// - Throws: for a malformed address, or a user without a password.
    func redisConfiguration(_ authorities: CertificateAuthorities?) throws(UnusableSetting)
        -> RedisConfiguration?
    {
        guard !fleet.redis.isEmpty else { return nil }
        var mistakes: [String] = []
        let addresses = fleet.redis.compactMap { text in
            let address = RedisAddress(text)
            if address == nil {
                // The address is not shown, because it may contain a password.
                mistakes.append(
                    "fleet.redis: an address is none such as redis://host:6379/0, rediss://host:6379 or unix:/path; a password belongs into fleet.password"
                )
            }
            return address
        }
        let password = try fleetPassword
        if !fleet.user.isEmpty, !password.isSet {
            mistakes.append("fleet.user is set, and fleet.password is not")
        }
        guard mistakes.isEmpty else { throw UnusableSetting(mistakes) }
        var configuration = RedisConfiguration(addresses)
        configuration.sentinel = fleet.sentinel.isEmpty ? nil : fleet.sentinel
        configuration.user = fleet.user
        configuration.password = password.text
        configuration.authorities = authorities?.bundle.path
        configuration.connectTimeout = fleet.connectTimeout
        configuration.commandTimeout = fleet.commandTimeout
        return configuration
    }
}
