// SPDX-License-Identifier: Apache-2.0

/// The age of a process that has answered: whether it may go on to the next job.
enum ProcessAge {
    case young
    /// To be replaced as soon as no job notices.
    case old
    /// Of no use to the next job.
    case spent
}
