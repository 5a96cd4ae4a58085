// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import Recipes
import SourceURLs

/// One node: a pipeline with a scripted origin, a cache in memory and a scripted decoder. Gates are open unless a test closes them.
struct NodeUnderTest: Sendable {
    let clock: HandMovedClock
    let origin: OriginDouble
    let cache: MemoryCache
    let decoder: ScriptedDecoder
    let pipeline: Pipeline<TestBody>

    /// - Parameters:
    ///   - cache: the cache of an earlier node; nil for an empty one.
    ///   - store: the store that several nodes share; nil for none.
    ///   - leases: the fleet's leases; nil for none.
    ///   - originLimits: the fleet's limits; nil for none.
    init(
        fetching: Gate = Gate(open: true), rendering: Gate = Gate(open: true),
        clock: HandMovedClock = HandMovedClock(), cache: MemoryCache? = nil, store: SharedStoreDouble? = nil,
        leases: (any LeasePort)? = nil,
        originLimits: (any OriginLimitPort)? = nil,
        configure: (inout PipelineConfiguration) -> Void = { _ in }
    ) {
        self.clock = clock
        origin = OriginDouble(clock: clock, gate: fetching)
        self.cache = cache ?? MemoryCache(store: store)
        decoder = ScriptedDecoder(gate: rendering)
        var caching = CachePolicy()
        caching.defaultStaleIfError = 0
        var configuration = PipelineConfiguration(
            engine: EngineVersion(library: "test 1"), fetches: AdmissionLimits(permits: 1000),
            decodes: AdmissionLimits(permits: 1000),
            caching: caching)
        configure(&configuration)
        pipeline = Pipeline(
            PipelinePorts(
                origin: origin, cache: self.cache, decoder: decoder, leases: leases,
                originLimits: originLimits, environment: clock),
            configuration: configuration)
    }

    func request(
        _ path: String = "/a.jpg", width: Int = 100, priority: Priority = .interactive,
        accepted: AcceptClass = [], output: Recipe.Output = .source, pages: Int = 1
    ) -> PipelineRequest {
        var recipe = Recipe()
        recipe.width = .pixels(width)
        recipe.output = output
        recipe.pages = pages
        return PipelineRequest(
            source: SourceURL(scheme: .http, host: "origin.test", port: 80, target: path), recipe: recipe,
            accepted: accepted, priority: priority)
    }

    @discardableResult
    func answer(_ path: String = "/a.jpg", width: Int = 100) async throws(PipelineFailure) -> Answer<TestBody>
    {
        try await pipeline.answer(request(path, width: width))
    }

    /// Sends the request in a task of its own, so that it can be cancelled or awaited later.
    func client(_ request: PipelineRequest) -> TestTask<Result<Answer<TestBody>, PipelineFailure>> {
        TestTask {
            do throws(PipelineFailure) { return .success(try await pipeline.answer(request)) } catch {
                return .failure(error)
            }
        }
    }

    /// As `client`, for a request from which the cache is withheld.
    func clientWithoutCache(
        _ request: PipelineRequest
    ) -> TestTask<Result<Answer<TestBody>, PipelineFailure>> {
        MemoryCache.$isWithheld.withValue(true) { client(request) }
    }

    func failure(_ path: String = "/a.jpg", width: Int = 100) async -> PipelineFailure? {
        do throws(PipelineFailure) {
            _ = try await answer(path, width: width)
            return nil
        } catch { return error }
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
