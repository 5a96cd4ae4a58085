// SPDX-License-Identifier: Apache-2.0

package import Answers
package import Dialects
package import Fleet
internal import HTTP1
internal import HTTPServer
package import Kernel
package import Origin
package import Pipeline
internal import Platform
internal import RequestGrammar
package import Stores

/// The routes that show and change the contents of the cache.
package struct CacheRoutes: Sendable {
    /// Purges, and gives its counters to `GET /admin/stats`.
    package let pipeline: Pipeline<Body>
    /// Lists originals, and gives its counters to `GET /admin/stats`.
    package let disk: DiskCache
    let answerCache: AnswerCache
    /// Gives its counters to `GET /admin/stats`.
    package let downloader: Downloader
    let maintenance: Maintenance
    /// Resolves the URL of a purge.
    let names: SourceNames
    /// Tells other nodes of purges; nil without a fleet.
    let news: FleetNews?

    /// Takes the daemon's objects.
    package init(
        pipeline: Pipeline<Body>, disk: DiskCache, answerCache: AnswerCache, downloader: Downloader,
        maintenance: Maintenance, names: SourceNames, news: FleetNews?
    ) {
        self.names = names
        self.news = news
        self.pipeline = pipeline
        self.disk = disk
        self.answerCache = answerCache
        self.downloader = downloader
        self.maintenance = maintenance
    }

    /// Purge, statistics, list, and the start and progress of each maintenance task.
    package var routes: [AdminRoute] {
        [
            .post("/admin/purge") { request, _ in await purge(request.body) },
            .get("/admin/stats") { _, _ in
                // On a thread that may wait for the disk, because a disk that hangs must not block a thread that all tasks share.
                let indexBytes = await disk.perform { $0.indexBytes } ?? 0
                return .json(
                    StatisticsReport(
                        disk: disk, indexBytes: indexBytes, answerCache: answerCache, pipeline: pipeline,
                        downloader: downloader, news: news))
            },
            .get("/admin/list") { _, query in await list(query) },
        ] + MaintenanceTask.allCases.flatMap(routes)
    }

    private func purge(_ body: [UInt8]) async -> Response {
        do {
            let body = try PurgeBody.read(body)
            let order = try body.order(by: names)
            if body.dryRun ?? false {
                return .json(PurgeReport(try await pipeline.forecast(order), isSoft: order.isSoft))
            }
            let time = SystemEnvironment.now()
            let result: PurgeResult
            do throws(IndexUnreadable) { result = try await pipeline.purge(order) } catch {
                // The other nodes' disks may accept the purge that this node's disk did not.
                guard error.isCarriedOut, let word = try await news?.publish(order, at: time) else {
                    throw error
                }
                throw IndexUnreadable("\(error) The other nodes: \(word.rawValue).", isCarriedOut: true)
            }
            var report = PurgeReport(result, isSoft: order.isSoft)
            report.fleet = try await news?.publish(order, at: time).rawValue
            return .json(report)
        } catch let error as SystemError {
            return ErrorResponse(
                .indexUnreadable,
                "What the order names is removed from this node's caches, but Redis is away and the order to the other nodes cannot be written: \(error).",
                retryAfter: 10
            ).response()
        } catch {
            return Self.refusal(error)
        }
    }

    private func list(_ query: [UInt8]) async -> Response {
        do {
            return .json(try await ListQuery(query).run(on: disk))
        } catch {
            return Self.refusal(error)
        }
    }

    /// `POST` starts the task, or answers 409 if another one runs, or 503 if there is no thread for it; `GET` reports its progress.
    private func routes(for task: MaintenanceTask) -> [AdminRoute] {
        [
            .post("/admin/\(task.rawValue)") { [maintenance] _, _ in
                switch maintenance.start(task) {
                case .running: .json(maintenance.report(of: task), status: 202)
                case .busy:
                    ErrorResponse(.busy, "Another maintenance task is under way.", retryAfter: 10).response()
                case .noThread(let error):
                    ErrorResponse(.noThread, "The task has no thread to run on: \(error).", retryAfter: 10)
                        .response()
                }
            },
            .get("/admin/\(task.rawValue)") { [maintenance] _, _ in .json(maintenance.report(of: task)) },
        ]
    }

    private static func refusal(_ error: any Error) -> Response {
        switch error {
        case let error as PurgeBody.Mistake: ErrorResponse(.badOrder, error.description).response()
        case let error as AdminQuery.Mistake: ErrorResponse(.badParameter, error.description).response()
        default: ErrorResponse(.indexUnreadable, "\(error)", retryAfter: 10).response()
        }
    }
}

extension ListQuery {
    /// Reads `host`, `after` and `limit`, each at most once.
    /// - Throws: `AdminQuery.Mistake` for any other parameter, a repeated one, or a `limit` out of range.
    package init(_ query: [UInt8]) throws(AdminQuery.Mistake) {
        self.init()
        try AdminQuery.read(query, known: "host, after, limit") { (name, value) throws(AdminQuery.Mistake) in
            switch name {
            case "host": host = value
            case "after": after = value
            case "limit": count = try Self.count(value)
            default: return false
            }
            return true
        }
    }

    private static func count(_ text: String) throws(AdminQuery.Mistake) -> Int {
        guard let count = Int(text), (1...limit).contains(count) else {
            throw AdminQuery.Mistake(
                description: RequestError.invalidValue(parameter: "limit", allowed: "1…\(limit)").message)
        }
        return count
    }
}
