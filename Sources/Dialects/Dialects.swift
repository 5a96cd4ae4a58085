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

/// All dialects, configured by the settings.
package struct Dialects: Sendable {
    /// The names and rules that the settings add to the URL language.
    package let vocabulary: Vocabulary
    /// Resolves URLs of originals.
    package let names: SourceNames
    private let fallbacks: FallbackRule
    /// All dialects, in the order of `DialectName`.
    private let all: [any Dialect]
    /// The dialects that are served, in the order in which they are asked.
    private let served: [any Dialect]

    /// - Throws: for a preset, width, quality, format, base URL, watermark or fallback host that cannot be used.
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

    /// The mistakes in the settings that make dialects impossible, a sentence each.
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

    /// Makes the dialect with this name.
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

    /// The dialect with this name; every name has one.
    // Cannot trap: `all` has one for each name.
    package subscript(name: DialectName) -> any Dialect {
        all[DialectName.allCases.firstIndex(of: name) ?? 0]
    }

    /// Formats that `Accept` may choose in any of the dialects.
    package var formats: AcceptClass { served.reduce([]) { $0.union($1.accepted(.all)) } }

    /// The rules for clients' hints; nil if hints are not read.
    package var hints: HintRules? { vocabulary.hints }

    /// The served dialect that the target belongs to; nil for none.
    package func dialect(of target: RequestTarget) -> (any Dialect)? {
        served.first { $0.holds(target) }
    }

    /// The disabled dialects to which the target would belong, so that the 404 can name their settings.
    package func disabled(holding target: RequestTarget) -> [DialectName] {
        let isOfOperations = Self.hasOperations(target.rawPath[...])
        return all.filter { dialect in
            guard !dialect.isServed, let place = dialect.place, let rest = place.rest(of: target.rawPath[...])
            else { return false }
            guard place.base.isEmpty else { return true }
            if isOfOperations, dialect.name == .imgproxy { return false }
            return Self.unsigned.contains { rest.starts(with: $0.utf8) }
        }.map(\.name)
    }

    /// The dialects to which the target would belong if their place were `/`, as it is in the services themselves.
    package func elsewhere(meaning target: RequestTarget) -> [DialectName] {
        guard Self.hasOperations(target.rawPath[...]) else { return [] }
        return all.map(\.name).filter { [.thumbor, .imagor].contains($0) && !self[$0].path.isEmpty }
    }

    /// True for `/unsafe/300x200/…` and the like, which thumbor and imagor alone have. `trim:10` is an option of imgproxy too.
    private static func hasOperations(_ path: ArraySlice<UInt8>) -> Bool {
        let beginning = "/\(OperationTarget.unsigned)/".utf8
        guard path.starts(with: beginning) else { return false }
        let rest = path.dropFirst(beginning.count)
        if rest.starts(with: "trim:".utf8) { return false }
        return rest.starts(with: "filters:".utf8)
            || [OperationGrammar.thumbor, .imagor].contains { grammar in
                OperationPath.beginning(of: rest, grammar).rest.count < rest.count
            }
    }

    /// Beginnings of URLs at `/` that occur in no other URLs.
    private static let unsigned = ["insecure/", "unsafe/", "_/"]

    /// The dialect that the target belongs to, and the target in the form that the dialect reads; nil if it belongs to none.
    package func match(_ target: RequestTarget) -> (dialect: any Dialect, target: RequestTarget)? {
        dialect(of: target).map { ($0, $0.plain(target)) }
    }

    /// The served dialects with their paths, for people: `native (/img)`.
    package func list(where isMeant: (any Dialect) -> Bool = { _ in true }) -> String {
        all.filter { $0.isServed && isMeant($0) }.map {
            "\($0.name.rawValue) (\($0.path.isEmpty ? "/" : $0.path))"
        }.joined(
            separator: ", ")
    }
}

// MARK: Requests

extension Dialects {
    /// Reads a target by its dialect, and applies the settings' aliases and profiles.
    /// - Parameter needs: the client's needs, if hints are read.
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
                // Only then, because changing a recipe costs a copy of it.
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
    /// The answer to a request that failed: the refusal in the dialect's words, or the redirect that the URL asks for.
    package func response(
        to refusal: Refusal, of asked: ImageRequest?, at dialect: any Dialect,
        _ admission: SignatureRule.Admission, now: Timestamp
    ) -> Response {
        let told = dialect.tell(refusal).ending(at: admission.expiry, now: now)
        let target = redirectTarget(after: refusal, of: asked, at: dialect, admission)
        var response = target.map { told.response(redirectingTo: $0) } ?? told.response
        if let times = refusal.failure?.times, times != StageTimes() {
            response.notes = AnswerNotes(key: nil, times: times)
        }
        return response.asked(at: dialect.name)
    }

    /// Where the URL asks to be redirected, if it may lead there; nil otherwise.
    package func redirectTarget(
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

    /// - Throws: if the dialect checks fallbacks and this one leads where it may not.
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
    /// The rules for hints; nil if hints are not read.
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
