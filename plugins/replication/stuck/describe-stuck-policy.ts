import { formatTime } from '#kernel'
import type { NextStep } from './next-step-store.ts'

interface StuckCopies extends NextStep {
  readonly committed: number
  readonly requested: number
  readonly lastError: string | null
  readonly nowMs: number
}

/** Says that copies are missing, that no task works on them, and the next step. */
export function describeStuck({ committed, requested, lastError, failedTaskId, retryAtMs, isResumable, nowMs }: StuckCopies): string {
  const fact = `Stuck: ${committed} of ${requested} copies, and no task works on the others.`
  const why = lastError === null ? '' : ` Last error: ${lastError.replace(/\.$/, '')}.`
  if (!isResumable)
    return `${fact}${why} svc cannot make them: their data set has ended and the bucket needs another provider, or the row of a copy is missing. svc doctor says which.`
  const retry = retryAtMs !== null && retryAtMs > nowMs ? `svc tries again at ${formatTime(retryAtMs)}` : 'svc tries again within minutes'
  const next =
    failedTaskId !== null && retryAtMs === null
      ? `Retry the failed task ${failedTaskId}, or dismiss it: then svc tries again by itself.`
      : `${retry}; svc doctor --fix tries at once.`
  return `${fact}${why} ${next}`
}
