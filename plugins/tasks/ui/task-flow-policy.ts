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

/** The words of the service for its own types, which only the rows of the list carry. Other types show their name. */
const labels: Readonly<Record<string, string>> = {
  storage_store: 'Store content',
  storage_park: 'Check uploaded content',
  storage_pull: 'Transfer stored content',
  storage_commit: 'Confirm storage',
  storage_dataset_ensure: 'Prepare storage',
  storage_dataset_end: 'End storage service',
  storage_cleanup: 'Remove remote storage copy',
  storage_finality: 'Verify chain finality',
  cache_evict: 'Remove local cached copy',
  cache_capacity_reconcile: 'Manage local cache capacity',
  cache_reconcile_durability: 'Review cache durability',
  s3_uploads_expire: 'Abort idle multipart uploads',
}

export const typeLabel = (type: string): string => labels[type] ?? type

/** Every type that the service has counted, by name. */
export function flowsOf(counts: Counts): readonly Flow[] {
  const flows = new Map<string, Flow>()
  for (const { type, status, count } of counts) {
    const flow = flows.get(type) ?? { type, operation: typeLabel(type), running: 0, pending: 0, failed: 0 }
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
