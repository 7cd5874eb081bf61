/** Calls of the Admin API, and waits for what follows from them. */
import type { AdminReply } from '../fixtures/admin-calls.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { until } from '../fixtures/until.ts'

export interface ListedDataSet {
  readonly id: number
  readonly provider_id: string
  readonly copy_index: number
  /** On chain. */
  readonly data_set_id: string
  readonly is_current: boolean
}

export const patientMs = 300_000

/** A call of the Admin API that must succeed. */
export const strict =
  (gateway: Gateway) =>
  async (method: string, path: string, json?: unknown): Promise<AdminReply> => {
    const reply = await gateway.call(method, `/api/v1${path}`, json === undefined ? {} : { json })
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    return reply
  }

/** The current data set of a replica, from 0. */
export async function dataSetOf(gateway: Gateway, bucket: string, replica: number): Promise<ListedDataSet> {
  const { data_sets: dataSets } = (await strict(gateway)('GET', `/buckets/${bucket}`)).json
  const found = (dataSets as readonly ListedDataSet[]).find(
    ({ copy_index: index, is_current: isCurrent }) => index === replica && isCurrent,
  )
  if (!found) throw new Error(`replica ${replica + 1} of ${bucket} has no data set`)
  return found
}

/** Waits until so many objects are below their target. */
export async function settled(gateway: Gateway, what: string, count: number): Promise<void> {
  await until(
    what,
    async () => {
      const { working, waiting, stuck } = (await strict(gateway)('GET', '/overview')).json.objects.below_target
      return working + waiting + stuck === count || undefined
    },
    { withinMs: patientMs, everyMs: 1000 },
  )
}

/** Waits until no task of this type is open. */
export async function idle(gateway: Gateway, wanted: string): Promise<void> {
  await until(
    `the end of each ${wanted}`,
    async () => {
      const { tasks } = (await strict(gateway)('GET', '/tasks?limit=100')).json
      const isOpen = ({ type, status }: { readonly type: string; readonly status: string }) =>
        type === wanted && (status === 'pending' || status === 'running')
      return tasks.some(isOpen) ? undefined : true
    },
    { withinMs: patientMs },
  )
}
