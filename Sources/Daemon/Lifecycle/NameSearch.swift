// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The search list of resolv.conf(5), by which a resolver tries `db.prod` as `db.prod.svc.cluster.local` too.
///
/// A stranger's URL means the name that stands in it. Completed, it would name machines of the inside, and the answers
/// (`source_refused` or not to be resolved) would tell which of them exist. In Kubernetes, where names of up to four
/// dots are completed first, turning it off also saves most of the look-ups.
enum NameSearch {
    /// For this process, before it has looked anything up. A list that is set for it on purpose stays.
    static func turnOff() { setenv("LOCALDOMAIN", "", 0) }
}
