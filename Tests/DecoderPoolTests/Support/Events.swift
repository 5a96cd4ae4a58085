// SPDX-License-Identifier: Apache-2.0

import DecoderPool
import DecoderProtocol
import Synchronization

/// The events that a pool reported.
final class Events: Sendable {
    private let list = Mutex<[DecoderEvent]>([])
    private let (starts, newStart) = AsyncStream.makeStream(of: Void.self)

    func add(_ event: DecoderEvent) {
        list.withLock { $0.append(event) }
        if case .started = event { newStart.yield() }
    }

    /// Returns once this many processes have sent their handshake. To be called once.
    func have(started number: Int) async {
        var count = 0
        for await _ in starts {
            count += 1
            if count >= number { return }
        }
    }

    var handshakes: [WireHandshake] {
        list.withLock { $0 }.compactMap { if case .started(let handshake) = $0 { handshake } else { nil } }
    }

    /// The processes that sent a handshake, in that order.
    var processes: [Int32] { handshakes.map(\.process) }

    /// The engines that took over, in that order.
    var newEngines: [String] {
        list.withLock { $0 }.compactMap { if case .engineChanged(_, let new) = $0 { new } else { nil } }
    }

    var lines: [String] {
        list.withLock { $0 }.compactMap { if case .said(_, let line) = $0 { line } else { nil } }
    }

    var memories: [JobMemory] {
        list.withLock { $0 }.compactMap {
            if case .measured(_, let memory, _, _) = $0 { memory } else { nil }
        }
    }

    var failedStarts: Int {
        list.withLock { $0 }.count { if case .cannotStart = $0 { true } else { false } }
    }

    func ends(_ reason: DecoderEvent.Reason) -> [ProcessEnd] {
        list.withLock { $0 }.compactMap {
            if case .ended(_, let end, reason) = $0 { end } else { nil }
        }
    }
}
