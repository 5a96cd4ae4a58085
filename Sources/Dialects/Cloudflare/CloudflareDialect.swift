// SPDX-License-Identifier: Apache-2.0

package import Answers
package import RequestGrammar
internal import Settings

/// `/cdn-cgi/image/width=80,quality=75/https://host/photo.jpg`: the URLs of Cloudflare's image resizing.
package struct CloudflareDialect: Dialect {
    package let isServed: Bool
    private let rules: CloudflareRules
    private let vocabulary: Vocabulary

    init(_ settings: Settings.Cloudflare, _ vocabulary: Vocabulary) throws(UnusableSetting) {
        isServed = settings.enabled
        rules = try CloudflareRules(settings)
        self.vocabulary = vocabulary
    }

    package static var name: DialectName { .cloudflare }
    package static var path: String { "/cdn-cgi/image" }

    /// Everything below the path; the path alone is nobody's.
    package static func holds(_ target: RequestTarget) -> Bool { CloudflareTarget.isOne(target) }

    package func plain(_ target: RequestTarget) -> RequestTarget {
        RequestTarget(path: Self.path, query: CloudflareTarget.query(target))
    }

    package func text(of query: CanonicalQuery, signature: String) -> String {
        CloudflareTarget.path(saying: query, signature: signature)
    }

    /// `onerror=redirect`, within the site that the settings name.
    package var fallbacks: FallbackGrammar {
        FallbackGrammar(names: ["onerror"], sourceWord: "redirect", home: rules.home)
    }

    package var reportWords: ReportWords { .cloudflare }

    /// Throws the refusal of an option or a source.
    package func read(_ target: RequestTarget) throws(Refusal) -> ImageRequest {
        do throws(CloudflareRefusal) {
            return try CloudflareQuery(target.query ?? []).request(rules, vocabulary)
        } catch {
            throw Refusal(ErrorResponse(.badParameter, error.message))
        }
    }
}
