// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import HTTPSemantics
package import Kernel
package import SourceURLs
internal import Synchronization

/// Answers requests for originals below named folders as an HTTP origin would: 200 with a copy of the file, 304 for the same
/// validator, 404, and 403 for a file that must not be read. Each answer has a lifetime of 0 and a strong validator, so the next
/// request sees a change, and a revalidation only looks at one inode.
///
/// The file is copied because a decoder reads the bytes later, when the file may have changed.
///
/// **Isolation:** a `Mutex` guards the configuration and the threads.
package final class FileSource: Sendable {
    private struct State {
        var configuration: FileConfiguration
        /// The threads of each folder, by the folder's path.
        var threads: [String: FileThreads] = [:]
        var isClosed = false
    }

    private let state: Mutex<State>
    private let makeFile: @Sendable () throws(SystemError) -> OwnedDescriptor
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - makeFile: makes an empty writable file; called on a folder's thread.
    ///   - now: the wall clock.
    package init(
        _ configuration: FileConfiguration,
        makeFile: @escaping @Sendable () throws(SystemError) -> OwnedDescriptor,
        now: @escaping @Sendable () -> Timestamp
    ) {
        state = Mutex(State(configuration: configuration))
        self.makeFile = makeFile
        self.now = now
    }

    /// Why this URL must not be read; nil if it may be tried.
    package func refusal(of url: SourceURL) -> SourceRefusal? {
        state.withLock { state in
            guard url.scheme == .file, state.configuration.folders[url.host] != nil else { return .notListed }
            return state.configuration.policy.denial(of: url)
        }
    }

    /// Applies other folders and limits to reads that begin from now on.
    package func replaceConfiguration(with new: FileConfiguration) {
        let unused = state.withLock { state in
            state.configuration = new
            let paths = Set(new.folders.values)
            let unused = state.threads.filter { !paths.contains($0.key) }
            state.threads = state.threads.filter { paths.contains($0.key) }
            return Array(unused.values)
        }
        for threads in unused { threads.close() }
    }

    /// Ends the threads; later reads are cancelled at once.
    package func shutdown() {
        let all = state.withLock { state in
            state.isClosed = true
            return Array(state.threads.values)
        }
        for threads in all { threads.close() }
    }

    /// Reads one file, or finds it unchanged.
    /// - Throws: why there is no answer.
    package func fetch(_ request: Download) async throws(FailedDownload) -> DownloadReply {
        if let refusal = refusal(of: request.url) { throw FailedDownload(.refused(by: refusal)) }
        let (folder, configuration, threads) = try place(of: request.url)
        let ticket = DownloadTicket()
        let read = FileRead(
            request: request, folder: folder, limit: configuration.bodyLimit, makeFile: makeFile, now: now)
        // A thread that hangs cannot be interrupted, but its request can be answered.
        let alarm = Task {
            try await Task.sleep(for: configuration.timeout)
            ticket.settle(.failure(FailedDownload(.timedOut(.total), at: request.url)))
        }
        defer { alarm.cancel() }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard ticket.wait(with: continuation) else { return }
                let isTaken = threads.run(unless: { ticket.isSettled }) {
                    guard !ticket.isSettled else { return }
                    ticket.settle(read.answer { ticket.isSettled })
                }
                if !isTaken { ticket.settle(.failure(FailedDownload(.cancelled))) }
            }
        } onCancel: {
            ticket.settle(.failure(FailedDownload(.cancelled)))
        }
        return try answer.get()
    }

    /// Checks whether a folder can be entered; nil if it can. Blocks.
    package static func obstacle(to folder: String) -> SystemError? {
        do throws(SystemError) {
            _ = try OpenFolder(folder)
            return nil
        } catch {
            return error
        }
    }

    private func place(
        of url: SourceURL
    ) throws(FailedDownload) -> (folder: String, FileConfiguration, FileThreads) {
        try state.withLock { state throws(FailedDownload) in
            // The folders may have been replaced since the URL was checked.
            guard let folder = state.configuration.folders[url.host] else {
                throw FailedDownload(.refused(by: .notListed))
            }
            if let threads = state.threads[folder] { return (folder, state.configuration, threads) }
            do throws(SystemError) {
                let threads = try FileThreads.start()
                if state.isClosed { threads.close() } else { state.threads[folder] = threads }
                return (folder, state.configuration, threads)
            } catch {
                throw FailedDownload(.fileWrite(error), at: url)
            }
        }
    }
}
