// SPDX-License-Identifier: Apache-2.0

/// Whether a process that has answered may go on to the next job.
enum ProcessAge {
    case young
    /// To be replaced as soon as no job would notice.
    case old
    /// Unable to do the next job.
    case spent
}
