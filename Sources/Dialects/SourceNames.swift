// SPDX-License-Identifier: Apache-2.0

package import Settings
package import SourceURLs

/// The meaning of originals' URLs by the settings: aliases, and the parameters that make no difference. One for all URLs, so
/// that an original has one key whoever names it.
package struct SourceNames: Sendable {
    private let aliases: SourceAliases
    private let parameters: ParameterRules

    /// Throws for an alias or a profile that cannot be used.
    package init(_ settings: Settings) throws(UnusableSetting) {
        aliases = try SourceAliases(settings.origin.aliases)
        parameters = ParameterRules(try settings.originProfiles)
    }

    /// The original that a URL names.
    /// - Throws: if the place that an alias stands for can have no such path.
    package func original(of url: SourceURL) throws(SourceURLError) -> SourceURL {
        parameters.keyed(try aliases.resolved(url))
    }

    /// True for a URL that names an alias, and so does not show where its original lies.
    package func isAlias(_ url: SourceURL) -> Bool { aliases.beginning(for: url) != nil }

    /// A recipe's watermark as keys and logs know it: a name of the settings, or a URL without what opens it.
    package func known(watermark name: String) -> String {
        guard name.contains("/"), let url = try? SourceURL.parse(name) else { return name }
        return parameters.keyed(url).absolute
    }

    /// The original that a URL names, where a recipe is to hold it as a text: with all that its origin gets.
    /// - Throws: as above.
    func watermark(of url: SourceURL) throws(SourceURLError) -> String {
        parameters.removed(from: try aliases.resolved(url)).absolute
    }
}
