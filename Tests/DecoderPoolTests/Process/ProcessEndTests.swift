// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
import DecoderProtocol
import Glibc
import Kernel
import Recipes
import Testing

@Suite(.timeLimit(.minutes(2))) struct ProcessEndTests {
    private func sleeper() throws -> pid_t {
        let (_, theirs) = try WireSocket.pair()
        return try Launcher(executable: "/bin/sh", arguments: ["-c", "exec sleep 100"]).launch(
            socket: theirs.descriptor.raw, errors: STDERR_FILENO)
    }

    @Test func `a child that does not end in time is waited for elsewhere`() async throws {
        let child = try sleeper()
        #expect(ProcessEnd(waitingFor: child, atMost: .milliseconds(10)) == .unknown)
        #expect(kill(child, SIGKILL) == 0)
        // The zombie would stay for ever if nobody waited for it.
        #expect(await eventually { kill(child, 0) == -1 })
    }

    @Test func `the end of a child that ends in time is known`() throws {
        let child = try sleeper()
        #expect(kill(child, SIGKILL) == 0)
        #expect(ProcessEnd(waitingFor: child, atMost: .seconds(60)) == .killed(signal: SIGKILL))
    }

    @Test(arguments: [ExchangeLoss.timedOut, .heldUp])
    func `a process that a hanging disk keeps blames no picture`(loss: ExchangeLoss) {
        #expect(loss.reason(.unknown) == .heldUp)
        guard case .refused(.cannotWrite(_)) = loss.failure(.unknown) else {
            Issue.record("\(loss.failure(.unknown))")
            return
        }
        #expect(loss.failure(.killed(signal: SIGKILL)) == (loss == .timedOut ? .timedOut : .overloaded))
    }
}
