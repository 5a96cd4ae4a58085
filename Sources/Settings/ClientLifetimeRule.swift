// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
internal import SourceURLs

/// One host's lifetimes for clients, as `cache.client-lifetimes` spells them: `img.example.org=10m..1d` within these
/// bounds, `*.example.com=1h` exactly so long, `host=..1d` and `host=10m..` with one bound.
package struct ClientLifetimeRule: Sendable, Equatable {
    /// A name in lower case and punycode or an address; with `*.` before it, every name that ends so.
    package var host: String
    package var minimum: Duration?
    package var maximum: Duration?

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
            !bare.hasSuffix("/"), !bare.contains(":80")
        else { return nil }
        return (isSuffix ? "*." : "") + url.host
    }

    /// Nil: neither a duration nor two.
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

    /// What is not said is as for every other host.
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

/// The list of them, as a setting.
package struct ClientLifetimeRules: SettingValue {
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
