// SPDX-License-Identifier: Apache-2.0

extension PoolState {
    /// True once every supervisor has ended.
    var hasEnded: Bool { supervisors.allSatisfy { if case .ended = $0 { true } else { false } } }

    /// True if no process lives and none is being started.
    var isHopeless: Bool {
        supervisors.allSatisfy {
            switch $0 {
            case .failing, .ended: true
            case .starting, .ready, .busy: false
            }
        }
    }

    /// The pool's numbers, for the metrics.
    var status: WorkerPoolStatus {
        var status = counters
        status.processes = supervisors.count(where: \.isServing)
        status.busy = running
        status.waiting = waiting.count
        return status
    }

    /// Each supervisor's process with its activity, and the reader of its memory.
    var workers: [(WorkerStatus<Job>, ProcessMemory?)] {
        supervisors.enumerated().map { index, state in
            var worker = WorkerStatus<Job>(number: index)
            switch state {
            case .starting, .failing: worker.state = .starting
            case .ready: worker.state = .ready
            case .busy(_, let ticket):
                worker.state = .busy
                (worker.job, worker.running) = (ticket.job, ticket.running)
            case .ended: worker.state = .ended
            }
            guard state.isServing, let process = processes[index] else { return (worker, nil) }
            worker.process = process.id
            return (worker, process.memory)
        }
    }
}
