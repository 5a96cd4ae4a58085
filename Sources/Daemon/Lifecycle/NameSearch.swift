// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The search list of resolv.conf(5), which makes a resolver try `db.prod` as `db.prod.svc.cluster.local`
/// too.
///
/// A stranger's URL means exactly the name in it. With the list, it would also name machines inside, and the
/// answers (`source_refused`, or a name that does not resolve) would reveal which of them exist. In
/// Kubernetes, which completes names of up to four dots first, turning it off also saves most look-ups.
enum NameSearch {
    /// Turns the list off for this process. To be called before its first look-up, whoever makes that: glibc reads the list once. A list
    /// that the environment sets on purpose stays.
    static func turnOff() { setenv("LOCALDOMAIN", "", 0) }
}
