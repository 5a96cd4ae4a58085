// SPDX-License-Identifier: Apache-2.0

package import Clients

/// A rate limit for each client, as the value of a setting: `100/10s` is a token bucket of 100 that fills in
/// 10 s.
package struct ClientRate: SettingValue {
    /// The limit; nil for none.
    package let rate: Rate?

    /// No limit.
    package static let off = ClientRate(rate: nil)

    private init(rate: Rate?) { self.rate = rate }

    package init?(settingText: String) {
        guard settingText != "off" else {
            self = .off
            return
        }
        let parts = settingText.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), count <= Self.most,
            let period = Duration(settingText: String(parts[1])), period <= .seconds(86_400),
            let rate = Rate(count: count, period: period.microseconds)
        else { return nil }
        self.rate = rate
    }

    private static let most = 1_000_000

    package var settingText: String {
        guard let rate else { return "off" }
        return "\(rate.count)/\(Duration.microseconds(rate.period).settingText)"
    }

    package static var settingForm: String { "off, or a number and a time of up to 1d, as 100/10s" }
}

/// The field in which trusted proxies name the client, as the value of a setting.
package enum ClientField: String, SettingValue, CaseIterable {
    case none, forwarded
    case xForwardedFor = "x-forwarded-for"

    /// Nil for `none`: the connection's peer is the client.
    package var field: ForwardedField? {
        switch self {
        case .none: nil
        case .forwarded: .forwarded
        case .xForwardedFor: .xForwardedFor
        }
    }
}
