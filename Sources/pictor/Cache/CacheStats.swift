// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Endpoints
internal import Operator
import Stores

struct CacheStats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "How full the cache is, and how well it works.")

    @OptionGroup var arguments: CacheArguments

    func run() async throws {
        try arguments.withService { service in
            let report = try service.statistics()
            arguments.show(report) { Self.lines(report) }
        }
    }

    private static func lines(_ report: StatisticsReport) -> [String] {
        let disk = report.disk
        var lines = [
            "disk    \(disk.originals) originals in \(disk.originalFiles) files, \(Quantity.bytes(disk.originalBytes))",
            "        \(disk.renditions) renditions, \(Quantity.bytes(disk.renditionBytes)); index \(Quantity.bytes(disk.indexBytes))",
            "        \(disk.evictions) evicted, \(disk.damaged) damaged, \(disk.vanished) vanished",
        ]
        if let trouble = disk.trouble { lines.append("        keeps nothing new: \(trouble)") }
        if let memory = report.memory {
            lines += [
                "memory  \(memory.answers) answers, \(Quantity.bytes(memory.bytes)), and \(memory.openFiles) open files",
                "        \(memory.hits) hits, \(memory.misses) misses, \(memory.evictions) evicted",
            ]
        }
        if let work = report.work {
            lines += [
                "work    \(work.fetches) fetches, \(work.revalidations) revalidations, \(work.renders) renderings",
                "        \(work.joinedFetches) and \(work.joinedRenders) requests joined another's",
                "        \(work.staleAnswers) stale answers, \(work.rememberedFailures) from remembered failures",
            ]
        }
        if let origins = report.origins {
            lines.append(
                "origins \(origins.restingCount) left alone, \(origins.refusals) fetches not sent, \(origins.probes) probes"
            )
            lines += origins.resting.prefix(10).map {
                "        \($0.origin) \($0.state)\($0.clients.map { " for \($0) of the clients" } ?? ""), again in \($0.retryAfter) s"
            }
        }
        if let fleet = report.fleet {
            let peers = fleet.peers.map { ", other nodes: \($0)" } ?? ""
            lines += [
                "fleet   \(fleet.isConnected ? "connected" : "Redis is away")\(peers), lag \(fleet.lagSeconds) s, \(fleet.outbox) purges wait",
                "        \(fleet.sent) purges sent, \(fleet.received) received, \(fleet.gaps) gaps; position \(fleet.position ?? "none")",
            ]
        }
        return lines
    }
}
