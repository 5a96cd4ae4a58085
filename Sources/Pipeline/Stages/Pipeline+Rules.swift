// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Recipes
internal import RequestGrammar
internal import SourceURLs
internal import Synchronization

/// The settings in force.
extension Pipeline {
    /// The rules that may change while the pipeline runs.
    ///
    /// A class, so that one part can be read without copying the rest.
    final class Rules: Sendable {
        let configuration: PipelineConfiguration
        let watermarks: [String: NamedPicture<Body>]
        let fallback: NamedPicture<Body>?
        /// Since when all fetches have sent the present request fields, by which `Vary` selects (RFC 9111 §4.1). Nil after a change
        /// of the fields, because a fetch with the former ones may be under way.
        let fieldsSince: Timestamp?
        /// Plans that were recently made with this configuration, because a site has many pictures of one size and few recipes, and a
        /// request that needs work is planned up to three times. Only plans that succeeded are kept.
        let plans = RecentValues<RenditionPlan.Inputs, RenditionPlan>(generation: 256)
        /// When originals arrived that vary, and that the present fields were found to select, so that the next request need not
        /// read their fields.
        let selected = RecentValues<OriginalKey, Timestamp>(generation: 4_096)

        init(
            configuration: PipelineConfiguration, watermarks: [String: NamedPicture<Body>],
            fallback: NamedPicture<Body>?, fieldsSince: Timestamp?
        ) {
            self.configuration = configuration
            self.watermarks = watermarks
            self.fallback = fallback
            self.fieldsSince = fieldsSince
        }
    }

    /// The settings now in force. Inlined, so that a reader of one setting copies only that one.
    var configuration: PipelineConfiguration { @inline(__always) get { rulesInForce.configuration } }

    /// A snapshot of the settings; read it once if several settings must be of one version.
    var rulesInForce: Rules { rules.withLock { $0 } }

    /// True if an original that was asked for at this time was asked for with the present fields.
    func hasOwnFields(since time: Timestamp) -> Bool {
        rulesInForce.fieldsSince.map { time >= $0 } ?? false
    }

    /// The pictures that recipes may name as watermarks.
    var watermarks: [String: NamedPicture<Body>] { rulesInForce.watermarks }

    /// The picture that replaces one that cannot be had or made; nil for none.
    var fallback: NamedPicture<Body>? { rulesInForce.fallback }

    /// Replaces the settings for all decisions from now on. Must not be called for two changes at once.
    ///
    /// - The decoders' share of the machine and the engine's library adopted last stay as they are.
    /// - Failures are forgotten, also those of work under way, because they may not occur with the new settings.
    /// - If the fields sent to origins have changed, including those sent after redirects, a fetch under way goes on for the requests
    ///   that wait for it, but no further request joins it.
    package func replace(
        _ configuration: PipelineConfiguration, watermarks: [String: NamedPicture<Body>],
        fallback: NamedPicture<Body>? = nil
    ) {
        let (new, asksAsBefore) = rules.withLock { rules in
            var new = configuration
            let decodes = rules.configuration.decodes
            (new.decodes.permits, new.decodes.longPermits) = (decodes.permits, decodes.longPermits)
            (new.decodes.budget, new.decodes.expensive) = (decodes.budget, decodes.expensive)
            let old = rules.configuration
            new.engine = new.engine.with(library: old.engine.library)
            let isAsBefore = new.requestFields == old.requestFields && new.sentFields == old.sentFields
            rules = Rules(
                configuration: new, watermarks: watermarks, fallback: fallback,
                fieldsSince: isAsBefore ? rules.fieldsSince : nil)
            return (new, isAsBefore)
        }
        if !asksAsBefore { _ = originals.closeToJoiners { _ in true } }
        failures.begin(with: purges.advance())
        quota.withLock { $0.limit = new.renditionsPerOriginal }
        fetches.replaceLimits(with: new.fetches)
        decodes.replaceLimits(with: new.decodes)
        health.replacePolicy(with: new.health)
    }

    /// Adopts another engine library, because the decoders now run it and make nothing for keys of the former one. Everything planned
    /// from now on has new keys. Renditions with former keys stay in the caches unused, except in ready answers. Failures are
    /// forgotten, because they may not occur with the new library. Does not wait.
    /// - Parameter library: the library's name, as decoders announce it.
    package func adopt(library: String) {
        let isNew = rules.withLock { rules in
            let old = rules.configuration.engine
            guard old.library != library else { return false }
            var configuration = rules.configuration
            configuration.engine = old.with(library: library)
            rules = Rules(
                configuration: configuration, watermarks: rules.watermarks, fallback: rules.fallback,
                fieldsSince: rules.fieldsSince)
            return true
        }
        if isNew { failures.begin(with: purges.advance()) }
    }
}
