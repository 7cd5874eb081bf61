import { defineService } from '../core/service.ts'
import { type Distribution, Histogram } from '../metrics/metrics.ts'
import type { Ending } from './rows/ending-policy.ts'

/** `retry`: the run failed and its task runs again after a backoff. `failure`: the task failed permanently. */
const runResults = ['success', 'wait', 'retry', 'failure'] as const
type RunResult = (typeof runResults)[number]

/** Upper bounds in seconds: 0.1 s doubled up to 204.8 s. */
export const runSecondsBuckets: readonly number[] = Array.from({ length: 12 }, (_, power) => 0.1 * 2 ** power)

interface RunCount {
  readonly kind: string
  readonly result: RunResult
  readonly runs: number
  /** Durations in seconds, in `runSecondsBuckets`. */
  readonly seconds: Distribution
}

/** Finished task runs since the process started. */
export interface TaskRuns {
  /** Every known kind with every result, including those with 0 runs. */
  counts(): readonly RunCount[]
}

export const taskRuns = defineService<TaskRuns>('kernel.task-runs')

/** A handed back run has no result: its task runs again as if the run had never begun. */
const resultOf: Readonly<Record<Ending['kind'], RunResult | undefined>> = {
  done: 'success',
  wait: 'wait',
  retry: 'retry',
  fail: 'failure',
  'hand-back': undefined,
}

export class RunCounts implements TaskRuns {
  readonly #kinds: ReadonlyMap<string, unknown>
  readonly #seconds = new Map<string, Histogram>()

  constructor(kinds: ReadonlyMap<string, unknown>) {
    this.#kinds = kinds
  }

  /** `ms`: by the wall clock, which a clock step can make negative. */
  add(kind: string, ending: Ending['kind'], ms: number): void {
    const result = resultOf[ending]
    if (result === undefined) return
    const key = `${kind} ${result}`
    const seconds = this.#seconds.get(key) ?? new Histogram(runSecondsBuckets)
    seconds.add(Math.max(ms, 0) / 1000)
    this.#seconds.set(key, seconds)
  }

  counts(): readonly RunCount[] {
    return [...this.#kinds.keys()].flatMap((kind) =>
      runResults.map((result) => {
        const seconds = this.#seconds.get(`${kind} ${result}`) ?? new Histogram(runSecondsBuckets)
        return { kind, result, runs: seconds.counts.reduce((sum, count) => sum + count, 0), seconds }
      }),
    )
  }
}
