// SPDX-License-Identifier: Apache-2.0
//
//     the rules become B                              the file
//                                                     [A]
//     they are noted                                  [A, B]
//     they are in force: originals come by them
//     what came by A and not by B is in doubt
//     that is on the disk                             [B]
//
// A crash in between, or an index that does not take the doubt, leaves both: the next start or reload raises it again. A start goes
// the same way, by the rules that it finds. So does a folder that takes the place of the first one while the daemon runs.

internal import Dispatch
internal import Foundation
internal import Kernel
internal import Logging
internal import Pipeline
internal import Synchronization

/// The rules for origins under which the cache's originals may have been fetched, in a file beside the cache. A start reads it to
/// find out which places the settings have closed since.
///
/// **Isolation:** one `Mutex` guards the rules; another guards the state of the file, and is held during calls to the disk.
final class FormerRules: Sendable {
    /// The largest file that is read, in bytes; far more than Pictor writes.
    private static let largest = 4 << 20
    /// The most seconds that a caller waits for the file.
    private static let patience = 3

    /// The contents and the identity of the file.
    private struct File: Sendable {
        /// Nil if the file cannot be read.
        var rules: Set<OriginRules>?
        /// Nil if there is no file.
        var identity: FileIdentity?

        init(_ path: String) {
            identity = FileIdentity(at: path)
            do throws(SystemError) {
                guard let text = try StateFile.read(path, largest: FormerRules.largest) else {
                    rules = []
                    return
                }
                rules = try? JSONDecoder().decode(Set<OriginRules>.self, from: Data(text.utf8))
            } catch {
                rules = nil
            }
        }
    }

    private let path: String
    /// The rules under which the originals may have been fetched; nil if the file cannot be read, so that everything is in doubt.
    private let known: Mutex<Set<OriginRules>?>
    private let written: Mutex<File>
    private let logger: Logger

    /// Reads the file. If there is no file, nothing is in doubt: the cache is new, or of a version that wrote no such file.
    init(folder: String, logger: Logger) {
        path = LastingFile.Name.originRules.path(in: folder)
        let found = File(path)
        known = Mutex(found.rules)
        written = Mutex(found)
        self.logger = logger
    }

    /// Adds rules. Call this before an original can be fetched under them.
    func note(_ rules: OriginRules) async {
        known.withLock { _ = $0?.insert(rules) }
        await save()
    }

    /// Marks the held originals that these rules might refuse today: each is served only once its origin has confirmed it. An
    /// original whose fetch is under way is not kept. Call this once the rules are in force.
    func doubt(by rules: OriginRules, in pipeline: Pipeline<Body>) async {
        do throws(IndexUnreadable) {
            for selection in doubted(by: rules) {
                var order = PurgeOrder(selection, isSoft: true)
                order.isStrict = true
                _ = try await pipeline.purge(order)
            }
        } catch {
            logger.error(
                "the cache may still serve pictures from places that the settings no longer allow: purge them",
                metadata: ["cause": "\(error)"])
            return
        }
        known.withLock { $0 = [rules] }
        await save()
    }

    /// Called when another folder has taken the place of the former one, or the former one is back. Returns true if everything in
    /// the folder must be confirmed. Writes the rules in force into the folder's file and, if they leave something in doubt,
    /// keeps the file's own rules beside them. Blocks.
    func doubtOpened() -> Bool {
        let file = File(path)
        let isInDoubt = known.withLock { known -> Bool in
            guard let found = file.rules, let rules = known else {
                known = nil
                return true
            }
            let isInDoubt = rules.contains { rule in found.contains { !rule.doubted(since: $0).isEmpty } }
            if isInDoubt { known = rules.union(found) }
            return isInDoubt
        }
        // Waits no longer than `save`, because another thread may hold the lock while it waits for the former folder.
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            self.write(over: file)
            end.signal()
        }
        _ = end.wait(timeout: .now() + .seconds(Self.patience))
        return isInDoubt
    }

    private func doubted(by rules: OriginRules) -> Set<PurgeSelection> {
        guard let known = self.known.withLock({ $0 }) else { return [.all] }
        let doubted = Set(known.flatMap { rules.doubted(since: $0) })
        return doubted.contains(.all) ? [.all] : doubted
    }

    /// Writes the file. Waits for `patience` at most; if the disk hangs, the file is written when the disk answers.
    private func save() async { await onOwnThread(atMost: .seconds(Self.patience)) { self.write() } }

    /// - Parameter file: the contents of the file of another folder; nil if the folder is the one that was written to last.
    private func write(over file: File? = nil) {
        let failure = written.withLock { written -> SystemError? in
            if let file { written = file }
            if let there = FileIdentity(at: path), there != written.identity { moveIn(&written) }
            guard let known = self.known.withLock({ $0 }), known != written.rules,
                let text = try? JSONEncoder().encode(known)
            else { return nil }
            do throws(SystemError) {
                try StateFile.replace(
                    path, with: String(decoding: text, as: UTF8.self), over: &written.identity)
            } catch {
                return error
            }
            written.rules = known
            return nil
        }
        guard let failure else { return }
        logger.warning(
            "the present rules for origins cannot be saved: after a restart that closes networks, held pictures from there are not known",
            metadata: ["cause": "\(failure)"])
    }

    /// Called when another folder has taken the place of the file's folder before the cache has noticed. Adds the rules in that
    /// folder's file, because the originals there may have been fetched under them.
    private func moveIn(_ written: inout File) {
        written = File(path)
        let there = written.rules
        known.withLock { known in known = known.flatMap { rules in there.map { rules.union($0) } } }
    }
}
