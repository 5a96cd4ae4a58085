// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
import Testing

@Suite struct ProcessorLimitTests {
    private func quotas(_ groups: String, _ files: [String: String]) -> [Double] {
        ProcessorLimit.quotas(groups) { files[$0] }.sorted()
    }

    @Test(arguments: [
        ("200000 100000\n", [2.0]), ("150000 100000\n", [1.5]), ("50000 100000\n", [0.5]),
        ("1000 100000\n", [0.01]), ("max 100000\n", []), ("0 100000\n", []), ("100000 0\n", []),
        ("many\n", []),
    ])
    func `a quota of version 2 comes to so many processors`(text: String, counts: [Double]) {
        #expect(quotas("0::/\n", ["/sys/fs/cgroup/cpu.max": text]) == counts)
    }

    @Test func `a part of a processor counts as a whole one`() {
        #expect(ProcessorLimit.whole(0.01) == 1)
        #expect(ProcessorLimit.whole(1.00001) == 2)
        #expect(ProcessorLimit.whole(2) == 2)
    }

    @Test func `a unit is bounded by the groups above it as well`() {
        let files = [
            "/sys/fs/cgroup/system.slice/cpu.max": "400000 100000\n",
            "/sys/fs/cgroup/system.slice/pictor.service/cpu.max": "max 100000\n",
        ]
        #expect(quotas("0::/system.slice/pictor.service\n", files) == [4])
    }

    @Test func `version 1 has two files, beside other controllers`() {
        let groups = "4:cpu,cpuacct:/pictor\n3:memory:/\n"
        let files = [
            "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            "/sys/fs/cgroup/cpu/pictor/cpu.cfs_quota_us": "250000\n",
            "/sys/fs/cgroup/cpu/pictor/cpu.cfs_period_us": "100000\n",
        ]
        #expect(quotas(groups, files) == [2.5])
        #expect(quotas(groups, ["/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "100000\n"]) == [])
        #expect(quotas("", files) == [])
    }

    @Test func `the least of machine, processor set and quotas counts`() {
        #expect(ProcessorLimit.least(ofMachine: 64, allowed: 0, quotas: []) == 64)
        #expect(ProcessorLimit.least(ofMachine: 64, allowed: 8, quotas: []) == 8)
        #expect(ProcessorLimit.least(ofMachine: 64, allowed: 8, quotas: [2, 16]) == 2)
        #expect(ProcessorLimit.least(ofMachine: 4, allowed: 4, quotas: [16]) == 4)
        #expect(ProcessorLimit.count >= 1)
    }
}
