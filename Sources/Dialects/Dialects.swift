// SPDX-License-Identifier: Apache-2.0

package import Answers
package import HTTPSemantics
package import HTTPServer
internal import Pipeline
internal import Recipes
package import RequestGrammar
package import Settings
package import Signatures
package import SourceURLs

/// Every dialect, as the settings have it.
package struct Dialects: Sendable {
    /// The words that the settings add to the language.
    package let vocabulary: Vocabulary
    /// Resolves URLs of originals.
    package let names: SourceNames
    private let fallbacks: FallbackRule
    /// In the order of their names.
    private let all: [any Dialect]
    /// The dialects that are served, in the order of asking.
    private let served: [any Dialect]

    /// Throws for a preset, width, quality, format, base URL, watermark or fallback host that cannot be used.
    package init(_ settings: Settings) throws(UnusableSetting) {
        let vocabulary = try settings.vocabulary
        self.vocabulary = vocabulary
        fallbacks = try settings.fallbackRule
        names = try SourceNames(settings)
        var all: [any Dialect] = []
        for name in DialectName.allCases { all.append(try Self.make(name, settings, vocabulary)) }
        self.all = all
        let reach = { (dialect: any Dialect) in dialect.place?.base.utf8.count ?? Int.max }
        served = all.enumerated().filter(\.element.isServed).sorted { a, b in
            (-reach(a.element), a.offset) < (-reach(b.element), b.offset)
        }.map(\.element)
    }

    /// Why no dialects can be made of the settings: a sentence for each mistake.
    package static func mistakes(in settings: Settings) -> [String] {
        var list: [String] = []
        func check<Part>(_ part: () throws(UnusableSetting) -> Part) -> Part? {
            do throws(UnusableSetting) { return try part() } catch {
                list += error.mistakes
                return nil
            }
        }
        let vocabulary = check { () throws(UnusableSetting) in try settings.vocabulary }
        _ = check { () throws(UnusableSetting) in try settings.fallbackRule }
        _ = check { () throws(UnusableSetting) in try SourceAliases(settings.origin.aliases) }
        _ = check { () throws(UnusableSetting) in try settings.originProfiles }
        for name in DialectName.allCases {
            _ = check { () throws(UnusableSetting) in try make(name, settings, vocabulary ?? .empty) }
        }
        return list
    }

    /// The dialect of that name.
    private static func make(
        _ name: DialectName, _ settings: Settings, _ vocabulary: Vocabulary
    ) throws(UnusableSetting) -> any Dialect {
        switch name {
        case .native: NativeDialect(vocabulary: vocabulary)
        case .weserv: WeservDialect(settings.weserv, vocabulary)
        case .next: try NextDialect(settings)
        case .cloudflare:
            try CloudflareDialect(
                settings.cloudflare, keepsDrawings: settings.output.svg, vocabulary)
        case .imgproxy: try ImgproxyDialect(settings, vocabulary)
        case .thumbor: try OperationDialect.thumbor(settings, vocabulary)
        case .imagor: try OperationDialect.imagor(settings, vocabulary)
        }
    }

    /// The dialect of that name; every name has one.
    // Cannot trap: there is one for each name.
    package subscript(name: DialectName) -> any Dialect {
        all[DialectName.allCases.firstIndex(of: name) ?? 0]
    }

    /// Formats that `Accept` may choose in one dialect or another.
    package var formats: AcceptClass { served.reduce([]) { $0.union($1.accepted(.all)) } }

    /// The rules for clients' hints; nil where they are not read.
    package var hints: HintRules? { vocabulary.hints }

    /// The dialect that the target belongs to; nil if it belongs to none.
    package func dialect(of target: RequestTarget) -> (any Dialect)? {
        served.first { $0.holds(target) }
    }

    /// The dialects that are off and whose URLs begin as this one does: whoever moves here finds out why it leads nowhere.
    package func off(holding target: RequestTarget) -> [DialectName] {
        all.filter { dialect in
            guard !dialect.isServed, let place = dialect.place, let rest = place.rest(of: target.rawPath[...])
            else { return false }
            return !place.base.isEmpty || Self.unsigned.contains { rest.starts(with: $0.utf8) }
        }.map(\.name)
    }

    /// How URLs begin that are nobody else's, below `/`.
    private static let unsigned = ["insecure/", "unsafe/", "_/"]

    /// The dialect that the target belongs to, and the target in the form that it reads; nil if it belongs to none.
    package func match(_ target: RequestTarget) -> (dialect: any Dialect, target: RequestTarget)? {
        dialect(of: target).map { ($0, $0.plain(target)) }
    }

    /// The dialects that are served, each with its path, for people: `native (/img)`.
    package func list(where isMeant: (any Dialect) -> Bool = { _ in true }) -> String {
        all.filter { $0.isServed && isMeant($0) }.map {
            "\($0.name.rawValue) (\($0.path.isEmpty ? "/" : $0.path))"
        }.joined(
            separator: ", ")
    }
}

// MARK: Requests

extension Dialects {
    /// The request of a target, as its dialect reads it, and the settings' aliases and profiles mean it.
    /// - Parameter needs: the client's, where its hints are read.
    package func read(
        _ target: RequestTarget, by dialect: any Dialect, for needs: ClientNeeds = .none
    ) throws(Refusal) -> ImageRequest {
        var asked = try dialect.read(target, needs)
        if let hints, hints.savingPercent < 100, asked.recipe.takesStandardQuality {
            asked.delivery.hints.insert(.saveData)
            if needs.savesData { asked.terms.qualityPercent = hints.savingPercent }
        }
        if names.isAlias(asked.source) { (asked.namedSource, asked.hidesSource) = (asked.source, true) }
        do throws(SourceURLError) {
            asked.source = try names.original(of: asked.source)
            if let name = asked.boxedRecipe.recipe.watermark?.source, name.contains("/"),
                let url = try? SourceURL.parse(name)
            {
                if names.isAlias(url) { asked.namedWatermark = name }
                let original = try names.watermark(of: url)
                // A change of the recipe costs a copy of it.
                if original != name { asked.recipe.watermark?.source = original }
            }
        } catch {
            throw Refusal(ErrorResponse(.badURL, error.message))
        }
        return asked
    }
}

// MARK: Requests that failed

extension Dialects {
    /// The answer to a request that failed: in the dialect's words, or where the request wanted to be sent then.
    package func response(
        to refusal: Refusal, of asked: ImageRequest?, at dialect: any Dialect,
        _ admission: SignatureRule.Admission, now: Timestamp
    ) -> Response {
        let told = dialect.tell(refusal).ending(at: admission.expiry, now: now)
        let goal = goal(after: refusal, of: asked, at: dialect, admission)
        var response = goal.map { told.response(redirectingTo: $0) } ?? told.response
        if let times = refusal.failure?.times, times != StageTimes() {
            response.notes = AnswerNotes(key: nil, times: times)
        }
        return response.asked(at: dialect.name)
    }

    /// Where the request wanted to be sent, if it may be.
    package func goal(
        after refusal: Refusal, of asked: ImageRequest?, at dialect: any Dialect,
        _ admission: SignatureRule.Admission
    ) -> SourceURL? {
        guard let fallback = dialect.fallbacks.fallback(in: admission.target),
            fallbacks.allows(fallback, of: asked, dialect.fallbacks, admission.ground)
        else { return nil }
        return switch fallback {
        case .url(let url): url
        case .source: refusal.allowsSource && asked?.source.scheme.isWeb == true ? asked?.source.sent : nil
        }
    }

    /// Throws where the dialect refuses a fallback that leads where it may not.
    package func checkFallback(
        of asked: ImageRequest, at dialect: any Dialect, _ admission: SignatureRule.Admission
    ) throws(Refusal) {
        guard dialect.fallbacks.isChecked,
            let fallback = dialect.fallbacks.fallback(in: admission.target),
            !fallbacks.allows(fallback, of: asked, dialect.fallbacks, admission.ground)
        else { return }
        throw Refusal(FallbackRule.refusal)
    }
}

extension Settings {
    /// Nil where hints are not read.
    fileprivate var hintRules: HintRules? {
        get throws(UnusableSetting) {
            let widths = try SettingNumbers.read(
                hints.widths, Recipe.Length.pixelRange, "client-hints.widths")
            guard hints.enabled, !widths.isEmpty else { return nil }
            return HintRules(
                ladder: WidthLadder(widths), defaultWidth: hints.defaultWidth > 0 ? hints.defaultWidth : nil,
                savingPercent: hints.savingPercent)
        }
    }

    fileprivate var vocabulary: Vocabulary {
        get throws(UnusableSetting) {
            let names = try watermarkPlaces.keys
            let ladder = WidthLadder(
                try SettingNumbers.read(
                    options.widthLadder, Recipe.Length.pixelRange, "options.width-ladder"))
            let hintRules = try hintRules
            let formats = try AutoFormats.read(options.autoFormats, "options.auto-formats")
            do throws(Vocabulary.Mistake) {
                var vocabulary = try Vocabulary(
                    presets: options.presets, watermarks: Set(names), fonts: decoder.fonts, ladder: ladder,
                    hints: hintRules)
                vocabulary.formats = formats
                vocabulary.limit = SizeLimit(width: options.maximumWidth, height: options.maximumHeight)
                return vocabulary
            } catch {
                throw UnusableSetting(description: "options.presets: \(error.description)")
            }
        }
    }
}
