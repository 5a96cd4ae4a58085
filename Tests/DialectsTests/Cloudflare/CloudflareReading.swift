// SPDX-License-Identifier: Apache-2.0

import Answers
@testable import Dialects
import Origin
import Recipes
import RequestGrammar
@testable import Settings
import SourceURLs
import Testing

func cloudflare(base: String = "", _ vocabulary: Vocabulary = .empty) throws -> CloudflareDialect {
    var settings = Settings.Cloudflare()
    (settings.enabled, settings.baseURL) = (true, base)
    return try CloudflareDialect(settings, vocabulary)
}

func read(cloudflare target: String, base: String = "") throws -> ImageRequest {
    let dialect = try cloudflare(base: base)
    let sent = try RequestTarget(target.utf8)
    try #require(dialect.holds(sent))
    return try dialect.read(dialect.plain(sent))
}

/// Reads these options for a fixed source.
func read(cloudflareOptions options: String) throws -> ImageRequest {
    try read(cloudflare: "/cdn-cgi/image/\(options)/https://a.example/b.jpg")
}

func cloudflareRefusal(of body: () throws -> ImageRequest) -> String? {
    do {
        let request = try body()
        return "no refusal, but \(request.recipe.canonical)"
    } catch let error as Refusal {
        return error.words.status == 400 && error.words.code == "bad_parameter" ? error.words.message : nil
    } catch {
        return nil
    }
}
