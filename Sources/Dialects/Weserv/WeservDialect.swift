// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import HTTPSemantics
internal import RequestGrammar
internal import Settings
internal import SourceURLs

/// `/?url=…&w=…`: the URLs of wsrv.nl (weserv/images).
struct WeservDialect: Dialect {
    private let vocabulary: Vocabulary
    /// True if failures are reported as wsrv.nl does.
    private let tellsAsWeserv: Bool

    init(_ settings: Settings.Weserv, _ vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
        tellsAsWeserv = settings.compatibleStatus
    }

    var name: DialectName { .weserv }
    var path: String { "/" }

    /// True for the root with a `url`; without one the root is no picture's. Several slashes are one, as nginx has it (`merge_slashes`):
    /// programs that join a base URL and a path write `//?url=…`.
    func holds(_ target: RequestTarget) -> Bool {
        guard target.path.utf8.allSatisfy({ $0 == UInt8(ascii: "/") }), let query = target.query else {
            return false
        }
        return query.split(separator: UInt8(ascii: "&")).contains {
            $0.starts(with: "url=".utf8) || $0.elementsEqual("url".utf8)
        }
    }

    /// All spellings of the root count as one URL, with one signature.
    func plain(_ target: RequestTarget) -> RequestTarget {
        target.path == path ? target : RequestTarget(path: path, query: target.query)
    }

    /// `default=`, or `errorredirect=` without a `default=`, parsed like `url=`.
    var fallbacks: FallbackGrammar {
        FallbackGrammar(
            names: ["default", "errorredirect"], parse: { WeservQuery.fallback($0) }, isOpen: true)
    }

    /// Leaves only the formats that `options.auto-formats` names.
    func accepted(_ accept: AcceptClass) -> AcceptClass { accept.intersection(vocabulary.formats) }

    var reportWords: ReportWords { .weserv }

    /// - Throws: for a query that even the lenient grammar of wsrv.nl refuses.
    func read(_ target: RequestTarget) throws(Refusal) -> ImageRequest {
        do throws(RequestError) {
            return try ImageRequest.parse(weserv: target.query ?? [], vocabulary: vocabulary)
        } catch {
            throw Refusal(ErrorResponse(error))
        }
    }

    /// With the status and words of wsrv.nl if `weserv.compatible-status` is on.
    func tell(_ refusal: Refusal) -> Refusal {
        guard tellsAsWeserv else { return refusal }
        return Refusal(
            WeservWords.of(refusal), outcome: refusal.outcome, form: .jsonWithoutWord,
            failure: refusal.failure)
    }
}
