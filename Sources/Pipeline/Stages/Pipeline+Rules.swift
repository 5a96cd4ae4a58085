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
        /// Originals that came later were asked for with the fields that are sent now. Nil after that has changed: a
        /// fetch may have been under way.
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

    /// To be read once for what must be of one piece.
    var rulesInForce: Rules { rules.withLock { $0 } }

    /// True if an original of that time was asked for with the fields that are sent now.
    func hasOwnFields(since time: Timestamp) -> Bool {
        rulesInForce.fieldsSince.map { time >= $0 } ?? false
    }

    /// The pictures that recipes name.
    var watermarks: [String: NamedPicture<Body>] { rulesInForce.watermarks }

    /// The picture in place of those that cannot be had or made; nil for none.
    var fallback: NamedPicture<Body>? { rulesInForce.fallback }

    /// Takes other settings into force, for whatever is decided from now on. Those of what decoders may take of the machine
    /// stay as they were at the start. Failures are forgotten, since the new ones might not give them, and so are those of work
    /// that is under way. Where origins are asked otherwise now, or redirects are judged otherwise, a fetch under way ends for
    /// those that wait for it, and nobody joins it any more. The engine's library stays the one that was adopted last. To be
    /// called for one change after the other.
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
