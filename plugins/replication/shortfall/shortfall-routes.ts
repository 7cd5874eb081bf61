import { clock, database, defineRoutes, formatTime, log, serveEndpoint, taskQueue } from '#kernel'
import { taskControl } from '#kernel/system'
import { providers } from '#plugins/providers'
import { buckets } from '#plugins/storage'
import { type CopyWork, placements, type ShortfallCause } from '../contract.ts'
import { type ChooseWorks, resumeAsked } from '../resumption/resume-work.ts'
import type { Work } from '../resumption/stuck-works.ts'
import { createSchedule } from '../schedule.ts'
import type { UnsettledPlace } from '../stuck/stuck-contents-store.ts'
import { listShortfall, nameShortfall } from './list-shortfall.ts'
import { formatRetryCursor, parseRetryCursor } from './retry-cursor-policy.ts'
import {
  listCauses,
  listShortfallObjects,
  retryShortfall,
  type Shortfall,
  type ShortfallCauseView,
  shortfallPageSizes,
} from './shortfall-api.ts'
import { contentsLackingAt, currentSetsAt, dataSetsAt, failedTasksByProvider } from './shortfall-store.ts'

const failedTasksMax = 1000
const dataSetsMax = 10

export const shortfallRoutes = defineRoutes({
  name: 'below-target',
  uses: { database, queue: taskQueue, control: taskControl, clock, log, buckets, placements, providers },
  endpoints: [listShortfallObjects, listCauses, retryShortfall],
  register(app, { buckets, placements, providers, ...deps }) {
    const { database } = deps
    const nameOf = (providerId: string) => {
      const name = providers.nameOf(providerId)
      return name === undefined ? {} : { provider_name: name }
    }
    const dataSetsOf = async (providerId: string | null) =>
      providerId === null ? [] : [...(await currentSetsAt(database.read, providerId, dataSetsMax))]
    const describe = ({ version, content, copies, failures }: Named): Shortfall => ({
      bucket: version.bucket,
      key: version.key,
      version_id: version.versionId,
      objects: content.currentCount,
      size: content.size,
      work: lackingWork(copies.work),
      target_copies: copies.target,
      stored_copies: copies.stored,
      ...(copies.waitReason === null ? {} : { wait_reason: copies.waitReason }),
      ...(copies.waitMessage === null ? {} : { wait_message: copies.waitMessage }),
      ...(copies.waitUntilMs === null ? {} : { wait_until: formatTime(copies.waitUntilMs) }),
      failures: failures.flatMap(({ providerId, message }) =>
        providerId === null || message === null ? [] : [{ provider_id: providerId, ...nameOf(providerId), message }],
      ),
    })

    serveEndpoint(app, listShortfallObjects, async ({ query }) => {
      const { bucket, work, provider_id: providerId, limit = shortfallPageSizes.usual, cursor } = query
      const page = await listShortfall(deps, {
        bucketId: bucket === undefined ? undefined : buckets.require(bucket).id,
        work,
        providerId,
        after: cursor === undefined ? undefined : toPlace(cursor),
        limit,
      })
      const named = await nameShortfall(deps, page.found)
      return { objects: named.map(describe), ...(page.next && { next_cursor: toCursor(page.next) }) }
    })

    serveEndpoint(app, listCauses, async () => {
      const { byWork, causes } = await placements.countObjects()
      const failed = await failedTasksByProvider(database.read, failedTasksMax)
      const describeCause = async ({ work, providerId, reason, message, objects }: ShortfallCause): Promise<ShortfallCauseView> => ({
        work,
        ...(providerId !== null && { provider_id: providerId, ...nameOf(providerId) }),
        ...(reason !== null && { reason }),
        ...(message !== null && { message }),
        objects,
        failed_tasks: work === 'stuck' ? (failed.get(providerId) ?? 0) : 0,
        data_sets: await dataSetsOf(providerId),
      })
      return { objects: { ...byWork }, causes: await Promise.all(causes.map(describeCause)) }
    })

    serveEndpoint(app, retryShortfall, async ({ body }) => {
      const { provider_id: providerId, cursor } = body
      const choose: ChooseWorks = async (works) => (providerId === undefined ? works : worksAt(providerId, works))
      const schedule = createSchedule(deps.queue)
      const from = cursor === undefined ? undefined : parseRetryCursor(cursor)
      const { tasks, next } = await resumeAsked({ ...deps, schedule }, { choose, from, untilMs: deps.clock.now() + retryMs })
      const nextCursor = next && formatRetryCursor(next)
      return { tasks, has_more: next !== undefined, ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
    })

    async function worksAt(providerId: string, works: readonly Work[]): Promise<readonly Work[]> {
      const ids = works.flatMap((work) => (work.kind === 'finality' ? [] : [work.id]))
      const contents = await contentsLackingAt(database.read, providerId, ids)
      const sets = await dataSetsAt(database.read, providerId, ids)
      return works.filter((work) => work.kind !== 'finality' && (work.kind === 'store' ? contents : sets).has(work.id))
    }
  },
})

type Named = Awaited<ReturnType<typeof nameShortfall>>[number]

/** A request enqueues what it can in this time, and is repeated for the rest. */
const retryMs = 20_000

const lackingWork = (work: CopyWork): Shortfall['work'] => (work === 'complete' ? 'working' : work)

const toCursor = ({ bucketId, storeState, id }: UnsettledPlace): string => `${bucketId}.${storeState}.${id}`

function toPlace(cursor: string): UnsettledPlace {
  const [bucketId = '0', storeState = '', id = '0'] = cursor.split('.')
  return { bucketId: Number(bucketId), storeState, id: Number(id) }
}
