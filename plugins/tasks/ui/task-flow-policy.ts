/** Counts of tasks by type. Pure. */
import type { Answer } from '@svc/ui-kit'

type Counts = Answer<'GET /tasks/stats'>

export interface Flow {
  readonly type: string
  readonly operation: string
  readonly running: number
  readonly pending: number
  /** Not dismissed. */
  readonly failed: number
}

/** Every type that the service has counted, by name. */
export function flowsOf(counts: Counts): readonly Flow[] {
  const flows = new Map<string, Flow>()
  for (const { type, operation, status, count } of counts) {
    const flow = flows.get(type) ?? { type, operation, running: 0, pending: 0, failed: 0 }
    flows.set(
      type,
      status === 'running' || status === 'pending' || status === 'failed' ? { ...flow, [status]: flow[status] + count } : flow,
    )
  }
  return [...flows.values()].sort((a, b) => a.operation.localeCompare(b.operation, 'en'))
}

export const openOf = ({ running, pending, failed }: Flow): number => running + pending + failed

/** Failures that are not dismissed, of one type or of all types. */
export const failedOf = (flows: readonly Flow[], type = ''): number =>
  flows.filter((flow) => type === '' || flow.type === type).reduce((sum, { failed }) => sum + failed, 0)
