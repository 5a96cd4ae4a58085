// SPDX-License-Identifier: Apache-2.0

import Answers
@testable import Dialects
import RequestGrammar
@testable import Settings
import Testing

/// The dialect at `/`, with changed settings.
func imgproxy(_ change: (inout Settings) -> Void = { _ in }) throws -> ImgproxyDialect {
    var settings = Settings()
    settings.imgproxy.enabled = true
    change(&settings)
    let vocabulary = try Vocabulary(presets: [], watermarks: ["logo"])
    return try ImgproxyDialect(settings, vocabulary)
}

func read(
    imgproxy target: String, _ change: (inout Settings) -> Void = { _ in }
) throws -> ImageRequest {
    let dialect = try imgproxy(change)
    let sent = try RequestTarget(target.utf8)
    try #require(dialect.holds(sent))
    return try dialect.read(dialect.plain(sent))
}

func refusal(
    imgproxy target: String, _ change: (inout Settings) -> Void = { _ in }
) throws -> String {
    do {
        let request = try read(imgproxy: target, change)
        return "no refusal, but \(request.recipe.canonical)"
    } catch let error as Refusal {
        #expect(error.words.status == 400 && error.words.code == "bad_parameter")
        return error.words.message
    }
}
