import { defineMetric } from '#kernel'
import { commitCounts } from '../services.ts'

export const commitMetrics = [
  defineMetric({
    name: 'svc_copies_committed_total',
    help: 'Copies that landed on chain; a copy counts again when it lands again after a reorganisation.',
    type: 'counter',
    labels: [],
    uses: { commitCounts },
    series: [{ name: 'copies_committed', label: 'Copies committed', unit: 'count' }],
    collect: async ({ commitCounts }) => [{ labels: {}, value: commitCounts.copies }],
  }),
  defineMetric({
    name: 'svc_copied_bytes_total',
    help: 'Bytes of the copies that landed on chain.',
    type: 'counter',
    labels: [],
    uses: { commitCounts },
    series: [{ name: 'copied_bytes', label: 'Bytes committed', unit: 'bytes' }],
    collect: async ({ commitCounts }) => [{ labels: {}, value: commitCounts.bytes }],
  }),
]
