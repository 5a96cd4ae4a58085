// SPDX-License-Identifier: Apache-2.0

internal import Endpoints

/// The figures above the lists, in a short and in a long form.
struct TopFigures {
    let moment: DaemonMoment
    let stages: StageHistograms
    let address: String
    let width: Int

    /// The nine most important lines; a tenth in a fleet.
    var short: [TopLine] { common + [stageLine, queues, budgetLine, decoderLine] + fleet }

    /// A line for each stage, budget and decoder.
    var long: [TopLine] { common + stageTable + [queues] + budgets + fleet + decoders }

    private var common: [TopLine] { [head, rates, outcomes, latency] + remark }

    private var head: TopLine {
        var line = TopLine(width)
        line.add("pictor \(moment.version)", .title)
        line.add(moment.isReady ? "  ready" : "  not ready", moment.isReady ? .good : .bad)
        line.add("  up \(Quantity.span(seconds: moment.uptime))  \(address)")
        line.pad(to: width - 12)
        line.add("\(moment.clock) UTC", .faint)
        return line
    }

    private var remark: [TopLine] {
        moment.remark.map { [TopLine($0, .bad, width: width)] } ?? []
    }

    private var rates: TopLine {
        let mistakes = moment["client_errors"] + moment["server_errors"]
        var line = labelled("requests")
        line.add("\(Quantity.number(moment.rate))/s", .title)
        line.add("  hits ")
        line.add(moment.hitRatio.map(Quantity.percent) ?? "–", .title)
        line.add("  errors ")
        line.add("\(Quantity.number(mistakes))/s", moment["server_errors"] > 0 ? .bad : .plain)
        line.add("  sent \(Quantity.bytes(moment["sent_bytes"]))/s")
        line.add("  fetched \(Quantity.bytes(moment["received_bytes"]))/s")
        return line
    }

    private var outcomes: TopLine {
        var line = labelled("outcomes")
        let seen = DaemonMoment.outcomes.filter { moment[$0.1] > 0 }
        line.add(
            seen.isEmpty
                ? "none in the last second"
                : seen.map { "\($0.0) \(Quantity.number(moment[$0.1]))" }.joined(separator: "  "))
        return line
    }

    private var latency: TopLine {
        var line = labelled("latency")
        let parts = [("p50", "latency_50"), ("p95", "latency_95"), ("p99", "latency_99")].map {
            name, series in
            "\(name) \(moment.second[series].map { Quantity.time(microseconds: $0) } ?? "–")"
        }
        line.add(parts.joined(separator: "  "))
        return line
    }

    private var stageLine: TopLine {
        var line = labelled("p95 of")
        let parts = StageHistograms.names.dropLast().compactMap { name in
            stages.percentile(0.95, name).map { "\(name) \(Quantity.time(microseconds: $0))" }
        }
        line.add(parts.isEmpty ? "no stage: no requests" : parts.joined(separator: "  "))
        return line
    }

    private var stageTable: [TopLine] {
        let heads = ["count", "p50", "p95", "p99"].map { CellText.right($0, 11) }.joined()
        return [TopLine("STAGE   \(heads)", .title, width: width)]
            + StageHistograms.names.map { name in
                let times = [0.5, 0.95, 0.99].map { share in
                    CellText.right(
                        stages.percentile(share, name).map { Quantity.time(microseconds: $0) } ?? "–", 11)
                }
                let count = CellText.right(Quantity.number(stages.count(name)), 11)
                return TopLine(CellText.fitted(name, 8) + count + times.joined(), width: width)
            }
    }

    private var queues: TopLine {
        var line = labelled("queues")
        let waiting = moment["waiting_fetches"] + moment["waiting_decodes"]
        line.add(
            "fetches \(Quantity.number(moment["waiting_fetches"]))  decodes \(Quantity.number(moment["waiting_decodes"]))",
            waiting > 0 ? .title : .plain)
        line.add(
            "  fetching \(moment.fetching.count)  in flight \(Quantity.number(moment["requests_in_flight"]))")
        line.add("  connections \(Quantity.number(moment["connections"]))")
        return line
    }

    private static let budgetNames = ["memory", "disk", "pictures"]

    private var budgetLine: TopLine {
        var line = labelled("budgets")
        let parts = Self.budgetNames.compactMap { name -> String? in
            guard let budget = moment.budgets[name] else { return nil }
            let share = budget.limit.map { Quantity.percent(Self.share(budget.used, of: $0)) }
            return "\(name) \(share ?? Quantity.bytes(budget.used))"
        }
        line.add(parts.joined(separator: "  ") + "  resident \(Quantity.bytes(moment["resident_bytes"]))")
        return line
    }

    private var budgets: [TopLine] {
        Self.budgetNames.compactMap { name in
            guard let budget = moment.budgets[name] else { return nil }
            var line = labelled(name)
            let used = Quantity.bytes(budget.used)
            guard let limit = budget.limit else {
                line.add("\(used), no limit")
                return line
            }
            let share = Self.share(budget.used, of: limit)
            let filled = Int(exactly: (share * 20).rounded()) ?? 0
            let bar = String((0..<20).map { $0 < filled ? Character("#") : Character(".") })
            line.add("[\(bar)]", share > 0.95 ? .bad : .plain)
            line.add(
                " \(CellText.right(Quantity.percent(share), 7))  \(used) of \(Quantity.bytes(limit))")
            return line
        }
    }

    private static func share(_ used: Int, of limit: Int) -> Double {
        limit > 0 ? min(max(Double(used) / Double(limit), 0), 1) : 0
    }

    /// If the node has had no news of the fleet for so many seconds, there is an alert.
    private static let longLag = 60

    private var fleet: [TopLine] {
        guard let fleet = moment.fleet else { return [] }
        var line = labelled("fleet")
        line.add(
            fleet.isConnected ? "connected" : "Redis is away", fleet.isConnected ? .plain : .bad)
        if let peers = fleet.peers { line.add("  peers \(peers)") }
        let isLate = fleet.lagSeconds > Self.longLag
        line.add("  lag \(Quantity.span(seconds: fleet.lagSeconds))", isLate ? .bad : .plain)
        line.add("  outbox \(fleet.outbox)", fleet.outbox > 0 ? .title : .plain)
        line.add("  gaps \(fleet.gaps)  position \(fleet.position ?? "–")")
        return [line]
    }

    private var decoderLine: TopLine {
        var line = labelled("decoders")
        let busy = moment.decoders.filter { $0.state == "busy" }
        let resident = moment.decoders.reduce(0.0) { $0 + Double($1.resident ?? 0) }
        line.add("\(busy.count) of \(moment.decoders.count) busy  \(Quantity.bytes(resident))")
        if let slowest = busy.max(by: { $0.milliseconds ?? 0 < $1.milliseconds ?? 0 }) {
            line.add("  longest: \(slowest.work)")
        }
        return line
    }

    /// The most decoders that have a line each; further ones are only counted.
    private static let mostDecoders = 8

    private var decoders: [TopLine] {
        let shown = moment.decoders.prefix(Self.mostDecoders)
        let rest = moment.decoders.count - shown.count
        return [
            TopLine(
                "DECODER \(CellText.right("resident", 11))\(CellText.right("price", 11))  at work on", .title,
                width: width)
        ]
            + shown.map { decoder in
                let sizes = [decoder.resident, decoder.price].map { size in
                    CellText.right(size.map { Quantity.bytes($0) } ?? "–", 11)
                }
                let state = CellText.fitted("\(decoder.number) \(decoder.state)", 8)
                return TopLine(state + sizes.joined() + "  " + decoder.work, width: width)
            } + (rest > 0 ? [TopLine("and \(rest) more", .faint, width: width)] : [])
    }

    private func labelled(_ label: String) -> TopLine {
        TopLine(CellText.fitted(label, 10), .faint, width: width)
    }
}

extension LiveReport.Decoder {
    /// For example `jpeg 4000×3000 for 31 ms: w=300`.
    fileprivate var work: String {
        guard let original else { return "–" }
        let time = milliseconds.map { " for \(Quantity.time(microseconds: Double($0) * 1e3))" } ?? ""
        return "\(original)\(time): \(recipe ?? "")"
    }
}
