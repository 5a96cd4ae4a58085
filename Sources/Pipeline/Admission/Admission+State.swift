// SPDX-License-Identifier: Apache-2.0

/// What the lock of `Admission` guards: it decides, and the caller acts on its effects outside.
extension Admission {
    /// How the wait of a job ends.
    enum Verdict {
        case admitted
        case refused(PipelineFailure)
    }

    /// The queue, the waiters, and the shortage that is reported.
    struct State {
        var queue: AdmissionQueue
        /// The number from the last count of the shortage (see `onShortage`), and the time of that count in microseconds.
        var shortage = 0
        var lastLook = -Admission.lookInterval
        /// The shortage reported last.
        var reported = 0
        /// True while a thread reports the shortage. That thread also reports changes made meanwhile: if two threads reported at
        /// once, the older number could arrive last.
        var isReporting = false
        /// True if an alarm is set that counts the shortage again without an event.
        var isLookSet = false
        var waiters: [UInt64: OneShot<Verdict>] = [:]
        var lastNumber: UInt64 = 0

        /// Counts the shortage, unless the last count is younger than `lookInterval`: counting at each event would scan a long queue
        /// each time.
        /// - Returns: true if the caller must set an alarm for another count.
        mutating func countShortage(_ now: Int64) -> Bool {
            guard queue.waitingCount == 0 || lastLook <= now - Admission.lookInterval else {
                defer { isLookSet = true }
                return !isLookSet
            }
            shortage = queue.waitingCount == 0 ? 0 : queue.shortage
            if queue.waitingCount > 0 { lastLook = now }
            return false
        }

        /// True if the calling thread must report the shortage.
        mutating func startsReport() -> Bool {
            guard !isReporting, shortage != reported else { return false }
            isReporting = true
            return true
        }

        /// The next number for the reporting thread; nil if the latest number has been reported.
        mutating func nextToReport() -> Int? {
            guard shortage != reported else {
                isReporting = false
                return nil
            }
            reported = shortage
            return shortage
        }

        /// Turns actions into effects, and removes the waiters of all jobs whose wait has ended.
        mutating func effects(from actions: [AdmissionQueue.Action]) -> [Effect] {
            actions.map { action -> Effect in
                switch action {
                case .admit(let number):
                    .settle(waiters.removeValue(forKey: number), .admitted)
                case .refuse(let number, let seconds):
                    .settle(waiters.removeValue(forKey: number), .refused(.overloaded(retryAfter: seconds)))
                case .dismiss(let number):
                    .settle(waiters.removeValue(forKey: number), .refused(.cancelled))
                case .setAlarm(let time):
                    .setAlarm(time)
                }
            }
        }
    }

    /// An effect of an event, outside of the lock.
    enum Effect {
        case settle(OneShot<Verdict>?, Verdict)
        case setAlarm(Int64)
    }
}
