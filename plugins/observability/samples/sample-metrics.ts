import { defineMetric, defineService } from '#kernel'
import type { CopyCheckResult } from '#plugins/replication'

const results = ['intact', 'missing', 'wrong_bytes', 'unreachable'] as const satisfies readonly CopyCheckResult[]

/** Since the start of this process. */
export interface SampleCounter {
  add(result: CopyCheckResult): void
  of(result: CopyCheckResult): number
}

export const sampleCounter = defineService<SampleCounter>('observability.sample-counter')

export function createSampleCounter(): SampleCounter {
  const counts = new Map<CopyCheckResult, number>()
  const of = (result: CopyCheckResult) => counts.get(result) ?? 0
  return { of, add: (result) => void counts.set(result, of(result) + 1) }
}

/** Every result has a sample, also at zero. */
export const remoteSamplesMetric = defineMetric({
  name: 'svc_remote_samples_total',
  help: 'Remote copies that were read as a whole and compared, by result, since the start.',
  type: 'counter',
  labels: ['result'],
  uses: { counter: sampleCounter },
  collect: async ({ counter }) => results.map((result) => ({ labels: { result }, value: counter.of(result) })),
})
