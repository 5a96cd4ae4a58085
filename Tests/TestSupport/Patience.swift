// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import Synchronization

/// How long any wait of a test goes on before the test fails: long enough for a machine with much else to do, and no
/// part of any promise.
package enum Patience {
    package static let seconds = 60.0

    /// Looks again and again until it holds; false after a minute. For what gives no sign of itself.
    package static func until(_ holds: () throws -> Bool) rethrows -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while Date.now < end {
            if try holds() { return true }
            Thread.sleep(forTimeInterval: 0.01)
        }
        return false
    }

    /// As `until`, for who must not hold a thread that tasks share. It ends early where its task is cancelled.
    package static func eventually(_ holds: () throws -> Bool) async rethrows -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        while Date.now < end, !Task.isCancelled {
            if try holds() { return true }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return false
    }
}

extension Process {
    /// Waits for its end, which is SIGKILL where our patience ends first.
    package func waitForEnd() {
        if Patience.until({ !isRunning }) { return }
        kill(processIdentifier, SIGKILL)
        waitUntilExit()
    }
}

/// Counts events, and waits for them.
///
/// **Isolation:** an `NSCondition` around a `Mutex`.
package final class Latch: Sendable {
    private let events = Mutex(0)
    private let changed = NSCondition()

    package init() {}

    package var count: Int { events.withLock { $0 } }

    package func signal() {
        events.withLock { $0 += 1 }
        changed.lock()
        changed.broadcast()
        changed.unlock()
    }

    /// False if so many did not happen within a minute.
    @discardableResult
    package func wait(for number: Int = 1) -> Bool {
        let deadline = Date(timeIntervalSinceNow: Patience.seconds)
        changed.lock()
        defer { changed.unlock() }
        while count < number {
            guard changed.wait(until: deadline) else { return count >= number }
        }
        return true
    }
}

/// A folder that is deleted with its last owner.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() {
        path = FileManager.default.temporaryDirectory.appending(path: "pictor-test-\(UUID().uuidString)").path
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Relative paths of the files below a folder in it.
    package func files(in folder: String) -> [String] {
        let root = "\(path)/\(folder)"
        let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return paths.filter {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\($0)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }
}

/// What a process writes, line by line as it comes.
///
/// **Isolation:** an `NSCondition` around a `Mutex`.
package final class Lines: Sendable {
    private struct State {
        var lines: [String] = []
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let changed = NSCondition()

    package init(_ pipe: Pipe) {
        let reading = pipe.fileHandleForReading
        Thread.detachNewThread { [self] in
            var rest = Data()
            while case let chunk = reading.availableData, !chunk.isEmpty {
                rest += chunk
                while let newline = rest.firstIndex(of: 0x0A) {
                    let line = String(decoding: rest[rest.startIndex..<newline], as: UTF8.self)
                    state.withLock { $0.lines.append(line) }
                    rest = Data(rest[(newline + 1)...])
                }
                wake()
            }
            state.withLock { $0.hasEnded = true }
            wake()
        }
    }

    private func wake() {
        changed.lock()
        changed.broadcast()
        changed.unlock()
    }

    package var all: [String] { state.withLock { $0.lines } }

    /// Waits until no more can come, for a minute at most.
    package func waitForEnd() { _ = wait { _ in nil as Void? } }

    /// What `look` makes of the lines, as soon as it makes something of them; nil when no more can come, or after a
    /// minute.
    package func wait<Value>(for look: ([String]) -> Value?) -> Value? {
        let deadline = Date(timeIntervalSinceNow: Patience.seconds)
        changed.lock()
        defer { changed.unlock() }
        while true {
            let (lines, hasEnded) = state.withLock { ($0.lines, $0.hasEnded) }
            if let value = look(lines) { return value }
            guard !hasEnded, changed.wait(until: deadline) else { return nil }
        }
    }
}
