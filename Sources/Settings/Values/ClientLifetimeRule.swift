// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
internal import SourceURLs

/// Limits of lifetimes in clients' caches for one host, as `cache.client-lifetimes` spells them: `img.example.org=10m..1d` within
/// these bounds, `*.example.com=1h` exactly, `host=..1d` and `host=10m..` with one bound.
package struct ClientLifetimeRule: Sendable, Equatable {
    /// A name in lower case and punycode, or an address. `*.` before a name stands for every name below it.
    package var host: String
    /// Nil for the limit of all other hosts.
    package var minimum: Duration?
    /// Nil for the limit of all other hosts.
    package var maximum: Duration?

    /// Nil for text that is malformed, or whose bounds contradict each other.
    package init?(_ text: String) {
        guard let equals = text.lastIndex(of: "=") else { return nil }
        let name = text[..<equals].trimming(while: \.isWhitespace)
        let bounds = text[text.index(after: equals)...].trimming(while: \.isWhitespace)
        guard let host = Self.normalise(name), let (minimum, maximum) = Self.bounds(bounds) else {
            return nil
        }
        self.host = host
        self.minimum = minimum
        self.maximum = maximum
    }

    private static func normalise(_ name: String) -> String? {
        let isSuffix = name.hasPrefix("*.")
        let bare = isSuffix ? String(name.dropFirst(2)) : name
        guard let url = try? SourceURL.parse("http://\(bare)"), url.target == "/", url.port == 80,
            !bare.hasSuffix("/"), !bare.hasSuffix(":80")
        else { return nil }
        return (isSuffix ? "*." : "") + url.host
    }

    /// Nil unless the text is one duration, or two with `..` between them, one of which may be missing.
    private static func bounds(_ text: String) -> (Duration?, Duration?)? {
        guard let dots = text.firstRange(of: "..") else {
            return Duration(settingText: text).map { ($0, $0) }
        }
        let (low, high) = (String(text[..<dots.lowerBound]), String(text[dots.upperBound...]))
        let (minimum, maximum) = (Duration(settingText: low), Duration(settingText: high))
        guard low.isEmpty || minimum != nil, high.isEmpty || maximum != nil, minimum != nil || maximum != nil
        else { return nil }
        if let minimum, let maximum, minimum > maximum { return nil }
        return (minimum, maximum)
    }

    var text: String {
        if let minimum, minimum == maximum { return "\(host)=\(minimum.settingText)" }
        return "\(host)=\(minimum?.settingText ?? "")..\(maximum?.settingText ?? "")"
    }

    /// The rule, with missing limits taken from `usual`.
    package func rule(usual: ClientPolicy) -> ClientLifetimes.Rule {
        let low = minimum.map { Int32(clamping: $0.wholeSeconds) }
        let high = maximum.map { Int32(clamping: $0.wholeSeconds) }
        let policy = ClientPolicy(
            minimumLifetime: low ?? min(usual.minimumLifetime, high ?? .max),
            maximumLifetime: high ?? max(usual.maximumLifetime, low ?? 0))
        return ClientLifetimes.Rule(
            host.hasPrefix("*") ? .suffix(String(host.dropFirst())) : .exact(host), policy)
    }
}

/// The rules as the value of a setting.
package struct ClientLifetimeRules: SettingValue {
    /// In the order of the setting; of two rules for the same host, the later one applies.
    package var list: [ClientLifetimeRule] = []

    package init() {}

    package init?(settingText: String) {
        guard let items = [String](settingText: settingText) else { return nil }
        let rules = items.compactMap(ClientLifetimeRule.init)
        guard rules.count == items.count else { return nil }
        list = rules
    }

    package var settingText: String { list.map(\.text).joined(separator: ", ") }
    package static var settingForm: String {
        "a list of host=duration or host=least..most, host may be *.name"
    }
    package static var isList: Bool { true }
}
