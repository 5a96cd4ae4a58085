// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import HTTPSemantics
internal import RequestGrammar
internal import Settings

/// `/_next/image?url=…&w=…&q=…`: the URLs of Next.js' image component, and at `/_vercel/image` those of other frameworks on Vercel.
struct NextDialect: Dialect {
    private let rules: NextRules
    /// Formats that `Accept` may choose.
    private let formats: AcceptClass

    init(_ settings: Settings) throws(UnusableSetting) {
        rules = try NextRules(settings)
        formats = try NextRules.formats(settings.next)
    }

    var name: DialectName { .next }
    var path: String { Self.path }

    private static let path = "/_next/image"
    /// The optimizer's own path, and the one at which Vercel answers the same queries.
    static let paths = [path, "/_vercel/image"]

    /// True also with a slash at the end, which Next.js writes if `trailingSlash` is set.
    func holds(_ target: RequestTarget) -> Bool {
        Self.paths.contains { target.path == $0 || target.path == "\($0)/" }
    }

    /// All spellings of the path count as one URL, with one signature. A plus means a space, as Node.js reads queries, because
    /// programs that build these URLs with `URLSearchParams` write spaces so.
    func plain(_ target: RequestTarget) -> RequestTarget {
        RequestTarget(path: path, query: target.query.map(FormText.spaced))
    }

    /// Leaves only the formats that `next.formats` names.
    func accepted(_ accept: AcceptClass) -> AcceptClass { accept.intersection(formats) }

    /// The refusal as plain text, in the words of Next.js if it has any.
    func tell(_ refusal: Refusal) -> Refusal {
        var words = refusal.words
        if let message = NextRefusal.words(of: words.code) { words.message = message }
        return Refusal(words, outcome: refusal.outcome, form: .text, failure: refusal.failure)
    }

    /// - Throws: a refusal as plain text, in the words of Next.js.
    func read(_ target: RequestTarget) throws(Refusal) -> ImageRequest {
        do throws(NextRefusal) {
            return try ImageRequest.parse(next: target.query ?? [], rules: rules)
        } catch {
            throw Refusal(ErrorResponse(.badParameter, error.message), form: .text)
        }
    }
}
