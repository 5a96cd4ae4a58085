// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Recipes
internal import RequestGrammar
internal import Synchronization

/// The settings in force.
extension Pipeline {
    /// The rules that may change while the pipeline runs.
    ///
    /// An object, so that a part of it is read without copying the rest.
    final class Rules: Sendable {
        let configuration: PipelineConfiguration
        let watermarks: [String: NamedPicture<Body>]
        let fallback: NamedPicture<Body>?
        /// The time since which all fetches have sent the present request fields, by which `Vary` selects (RFC 9111 §4.1). Nil
        /// after a change of them: a fetch with the former ones may have been under way.
        let fieldsSince: Timestamp?
        /// The plans that were made lately by this configuration: a site has many pictures of one size and few recipes, and a request
        /// for which work is done is planned up to three times on its way. Only what succeeded is held.
        let plans = RecentValues<RenditionPlan.Inputs, RenditionPlan>(generation: 256)

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

    /// A snapshot, to be read once where several settings must be of one version.
    var rulesInForce: Rules { rules.withLock { $0 } }

    /// True if an original of that time was asked for with the fields that are sent now.
    func hasOwnFields(since time: Timestamp) -> Bool {
        rulesInForce.fieldsSince.map { time >= $0 } ?? false
    }

    /// The pictures that recipes name.
    var watermarks: [String: NamedPicture<Body>] { rulesInForce.watermarks }

    /// The picture in place of those that cannot be had or made; nil for none.
    var fallback: NamedPicture<Body>? { rulesInForce.fallback }

    /// Puts other settings into force for all decisions from now on. Must not be called for two changes at once.
    ///
    /// - What decoders may use of the machine, and the engine's library that was adopted last, stay as they are.
    /// - Failures are forgotten, also those of work under way, because the new settings might not lead to them.
    /// - If the fields that origins get have changed, also those after redirects, a fetch under way goes on for the requests that
    ///   wait for it, and no further request joins it.
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

    /// The decoders have become another engine, and make nothing that is keyed by the former one: whatever is planned from now
    /// on has other keys. Renditions with former keys stay in the caches and are given no more, but for ready answers.
    /// Failures are forgotten, since the new libraries might not give them. Does not wait.
    /// - Parameter library: as decoders announce it.
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
