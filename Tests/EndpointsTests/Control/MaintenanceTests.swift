// SPDX-License-Identifier: Apache-2.0

import Endpoints
import Foundation
import HTTPSemantics
import Kernel
import Stores
import Synchronization
import Testing

@Suite("One maintenance task runs at a time") struct MaintenanceTests {
    private let disk: DiskCache

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pictor-\(UUID().uuidString)")
        let configuration = DiskConfiguration(
            folder: folder.path, originalsBudget: 1 << 20, renditionsBudget: 1 << 20)
        disk = try DiskCache(configuration, now: { Timestamp(seconds: 1) }) { _ in }
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `a task that gets no thread has not run, and is not told as busy`() {
        defer { disk.close() }
        let reason = SystemError("pthread_create", code: EAGAIN)
        let maintenance = Maintenance(disk: disk) { (_) throws(SystemError) in throw reason }
        #expect(maintenance.start(.gc) == .noThread(reason))
        #expect(maintenance.report(of: .gc).state == .idle)
        // The failed start does not block another task.
        #expect(maintenance.start(.verify) == .noThread(reason))
    }

    @Test func `while one runs the other is told as busy`() {
        defer { disk.close() }
        let waiting = Mutex<[@Sendable () -> Void]>([])
        let maintenance = Maintenance(disk: disk) { (work) throws(SystemError) in
            waiting.withLock { $0.append(work) }
        }
        #expect(maintenance.start(.verify) == .running)
        #expect(maintenance.start(.verify) == .running)
        #expect(maintenance.start(.gc) == .busy)
        #expect(waiting.withLock(\.count) == 1)
        waiting.withLock { $0.removeFirst() }()
        #expect(maintenance.report(of: .verify).state == .done)
        #expect(maintenance.start(.gc) == .running)
    }
}
