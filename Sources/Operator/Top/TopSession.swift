// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
package import Kernel
internal import Synchronization

/// Runs the live view. The daemon is asked on another thread, so that keys work while it is silent.
///
/// **Isolation:** one thread; `go` blocks it.
package final class TopSession {
    private enum News: Sendable {
        case look(TopSource.Look)
        case trouble(String)
        case details(String, [String])
    }

    /// How many readings of the histograms the percentiles cover.
    private static let looks = 12

    private let source: TopSource
    private let interval: Int64
    private let wake: TopWake
    private let news = NewsBox()
    private var state = TopState()
    private var last: TopSource.Look
    private var stages: [StageHistograms]
    private var trouble: (reason: String, since: Int64)?
    private var isAsking = false
    private var next: Int64

    /// - Parameters:
    ///   - first: the daemon's state as just read.
    ///   - interval: seconds between two readings.
    package init(_ source: TopSource, first: TopSource.Look, interval: Double) throws(SystemError) {
        self.source = source
        self.interval = Int64(exactly: (min(max(interval, 0.1), 3_600) * 1e6).rounded()) ?? 1_000_000
        wake = try TopWake()
        last = first
        stages = [first.stages]
        next = pictor_monotonic_microseconds() + self.interval
    }

    /// - Returns: the signal that ended the view; nil if a key did.
    /// - Throws: if the terminal is gone.
    package func go() throws(SystemError) -> Int32? {
        let terminal = try Terminal()
        defer { terminal.restore() }
        while true {
            try terminal.show(frame.lines(state, Terminal.size, trouble: words), Terminal.ink)
            askIfDue()
            var files = [
                pollfd(fd: STDIN_FILENO, events: Int16(truncatingIfNeeded: POLLIN), revents: 0),
                pollfd(fd: wake.reading.raw, events: Int16(truncatingIfNeeded: POLLIN), revents: 0),
            ]
            let now = pictor_monotonic_microseconds()
            poll(&files, 2, Self.pause(isAsking: isAsking, state, until: next, at: now))
            for number in wake.take() where number != 0 && number != SIGWINCH { return number }
            for item in news.take() { note(item) }
            if files[0].revents != 0, try typed() { return nil }
        }
    }

    private var frame: TopFrame {
        let oldest = stages.first ?? last.stages
        let recent = stages.count > 1 ? last.stages.since(oldest) : last.stages
        return TopFrame(last.moment, stages: recent, address: last.address)
    }

    private var words: String? {
        trouble.map { reason, since in
            let seconds = Int(clamping: (pictor_monotonic_microseconds() - since) / 1_000_000)
            return "No answer for \(Quantity.span(seconds: seconds)), trying again: \(reason)"
        }
    }

    /// Milliseconds until the next reading is due. One second while the view is paused or a reading is under way, even if the
    /// next one is overdue.
    /// - Parameters:
    ///   - next: when the next reading is due, in microseconds.
    ///   - now: the present time of the same clock.
    package static func pause(isAsking: Bool, _ state: TopState, until next: Int64, at now: Int64) -> Int32 {
        if isAsking || state.isPaused { return 1_000 }
        return Int32(clamping: max(next - now, 0) / 1_000 + 1)
    }

    /// Handles the keys that were typed; true if the view must end.
    private func typed() throws(SystemError) -> Bool {
        // Cannot trap: the count is a constant.
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return false }
        guard count > 0 else { return true }
        for key in TopKey.keys(bytes.prefix(count)) {
            let names = state.panel.rows(last.moment, sort: state.sort).map(\.name)
            switch state.press(key, names: names) {
            case .none: break
            case .quit: return true
            case .look(let panel, let name):
                try ask { .details(name, $0.details(panel, name)) }
            }
        }
        return false
    }

    private func askIfDue() {
        guard !isAsking, !state.isPaused, pictor_monotonic_microseconds() >= next else { return }
        isAsking = true
        do throws(SystemError) {
            try ask { source in
                do { return .look(try source.look()) } catch { return .trouble("\(error)") }
            }
        } catch {
            note(.trouble("\(error)"))
        }
    }

    /// Asks the daemon on a thread of its own.
    private func ask(_ question: @escaping @Sendable (TopSource) -> News) throws(SystemError) {
        try WorkerThread("top") { [source, news, wake] in
            news.add(question(source))
            wake.wake()
        }.detach()
    }

    private func note(_ item: News) {
        let now = pictor_monotonic_microseconds()
        switch item {
        case .details(let name, let lines): return state.show(lines, of: name)
        case .trouble(let reason): trouble = (reason, trouble?.since ?? now)
        case .look(let look):
            trouble = nil
            last = look
            stages = stages.suffix(Self.looks - 1) + [look.stages]
        }
        isAsking = false
        next = now + interval
    }

    /// **Isolation:** a `Mutex` guards the items.
    private final class NewsBox: Sendable {
        private let items = Mutex<[News]>([])

        func add(_ item: News) { items.withLock { $0.append(item) } }

        func take() -> [News] {
            items.withLock { items in
                defer { items = [] }
                return items
            }
        }
    }
}
