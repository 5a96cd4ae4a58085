// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import HTTPCaching
internal import ImageHeaders
internal import Origin
internal import Pipeline
internal import Recipes
internal import Settings

extension Settings {
    /// - Parameter engine: the engine's name, as the decoders announce it.
    func pipelineConfiguration(engine: String) throws(UnusableSetting) -> PipelineConfiguration {
        try InstalledFonts.check(self)
        let (shares, files, origins) = (memoryShares, OpenFiles(self), try originConfiguration)
        return PipelineConfiguration(
            // The encoders' defaults are part of the engine's version, because they change renditions.
            engine: EngineVersion(library: engine, encoders: encoder, damaged: decoder.damaged),
            pictures: pictureLimits, renderTimeout: decoder.timeout,
            fetches: AdmissionLimits(
                permits: files.fetches, permitsPerGroup: files.fetchesPerHost,
                ratePerGroup: origin.maximumRatePerHost, queueLength: origin.queueLength,
                queueAge: origin.queueTimeout.microseconds),
            fleetFetchesPerHost: origin.maximumFetchesPerHost,
            decodes: AdmissionLimits(
                // There is one permit more than there are decoders. The additional job waits in the pool and starts as soon as
                // another job returns, without waiting for a task to run. Under overload that saves a tenth of the decoders'
                // time.
                permits: decoders + 1,
                permitsPerGroup: decoder.avifJobs > 0 ? decoder.avifJobs : decoders,
                budget: shares.pictures, expensive: shares.expensivePicture,
                long: decoder.longPicture.microseconds, longPermits: max(1, decoders - 1),
                queueLength: decoder.queueLength,
                queueAge: decoder.queueTimeout.microseconds, order: .responseRatio,
                standingWork: 1_000_000),
            caching: cachePolicy, requestFields: origins.requestFields,
            sentFields: origins.sentFields().anywhere,
            backgroundRefreshes: cache.maximumRefreshes, staleWait: cache.staleWait.microseconds,
            negative: negativePolicy,
            renditionsPerOriginal: limits.renditionsPerOriginal, health: healthPolicy,
            leaseWait: fleet.leaseWait.microseconds, makesAVIFLater: output.avifLater)
    }

    private var negativePolicy: NegativePolicy {
        var policy = NegativePolicy()
        policy.notFound = negative.notFound.wholeSeconds
        policy.clientError = negative.clientError.wholeSeconds
        policy.serverError = negative.serverError.wholeSeconds
        policy.nameNotResolved = negative.unresolved.wholeSeconds
        policy.unreachable = negative.unreachable.wholeSeconds
        policy.notAnImage = negative.noPicture.wholeSeconds
        policy.maximum = negative.maximum.wholeSeconds
        return policy
    }

    private var healthPolicy: HealthPolicy {
        var policy = HealthPolicy()
        policy.failures = origin.restAfter
        policy.firstRest = origin.firstRest.microseconds
        policy.longestRest = origin.longestRest.microseconds
        return policy
    }

    var clientLifetimes: ClientLifetimes {
        let usual = ClientPolicy(
            minimumLifetime: cache.clientMinimumLifetime.seconds32,
            maximumLifetime: cache.clientMaximumLifetime.seconds32)
        return ClientLifetimes(usual: usual, rules: cache.clientLifetimes.list.map { $0.rule(usual: usual) })
    }

    /// Nil if the settings name no fallback picture.
    var fallbackPolicy: FallbackPolicy? {
        fallback.picture.isEmpty
            ? nil
            : FallbackPolicy(
                status: fallback.status == 0 ? nil : fallback.status,
                lifetime: fallback.maximumAge.wholeSeconds, causes: fallback.statuses.ranges)
    }

    private var pictureLimits: PictureLimits {
        var limits = PictureLimits(
            formats: formats, pixels: decoder.maximumPixels, frames: decoder.maximumFrames,
            memory: memoryShares.largestPicture)
        limits.enlargedPixels = self.limits.enlargedPixels
        limits.avifPixels = output.avifMaximumPixels
        limits.encoders = encoder
        if writesJXL { limits.outputs.insert(.jxl) }
        if output.svg { limits.outputs.insert(.svg) }
        return limits
    }

    private var cachePolicy: CachePolicy {
        var policy = CachePolicy()
        policy.minimumLifetime = cache.minimumLifetime.seconds32
        policy.maximumLifetime = cache.maximumLifetime.seconds32
        policy.defaultLifetime = cache.defaultLifetime.seconds32
        // Cannot trap: the fraction is from 0 to 1.
        let parts = Int32((cache.heuristicFraction * 10_000).rounded())
        // Only a setting of 0 switches the heuristic off; a very small fraction counts as one part.
        policy.heuristicParts = cache.heuristicFraction > 0 ? max(1, parts) : 0
        policy.maximumHeuristicLifetime = cache.heuristicMaximum.seconds32
        policy.defaultStaleWhileRevalidate = cache.staleWhileRevalidate.seconds32
        policy.defaultStaleIfError = cache.staleIfError.seconds32
        return policy
    }
}

extension Duration {
    fileprivate var seconds32: Int32 { Int32(clamping: wholeSeconds) }
}
