import { clock, database, defineRoutes, formatTime, optional, serveEndpoint, taskQueue } from '#kernel'
import { samplesSection } from '#plugins/providers'
import { copyChecks } from '#plugins/replication'
import { observabilityErrors } from '../errors.ts'
import { requirePart } from '../health/require-part.ts'
import { type Samples, showSamples, startSamples } from './sample-api.ts'
import { beginSampleRun, countSamples, failedSamples, findSampleRun, type SampleRun } from './sample-store.ts'
import { verifyShareTask } from './sample-tasks.ts'

const dayMs = 24 * 3_600_000
const million = 1_000_000
const bytesPerGib = 2 ** 30

export const sampleRoutes = defineRoutes({
  name: 'observability-samples',
  uses: { database, clock, taskQueue, checks: optional(copyChecks), settings: optional(samplesSection.settings) },
  endpoints: [showSamples, startSamples],
  register(app, { database, clock, taskQueue, checks: found, settings }) {
    serveEndpoint(app, showSamples, async () => {
      const checks = requirePart(found, 'replication')
      const limits = requirePart(settings, 'providers')
      const { read } = database
      const [committed, lastDay, failures, run] = await Promise.all([
        checks.count(),
        countSamples(read, clock.now() - dayMs),
        failedSamples(read),
        findSampleRun(read),
      ])
      const isOpen = await taskQueue.hasOpen(read, runKey)
      return {
        share_per_day: limits.copies_per_million_daily / million,
        bytes_per_day: limits.gib_daily * bytesPerGib,
        committed_copies: committed,
        last_day: lastDay,
        failures: failures.map(({ at, copy_id, data_set_id, provider_id, piece_cid, result, message }) => ({
          at: formatTime(at),
          result,
          copy_id,
          local_data_set_id: data_set_id,
          provider_id,
          piece_cid,
          ...(message === null ? {} : { message }),
        })),
        ...(run && { run: describeRun(run, isOpen) }),
      }
    })

    serveEndpoint(app, startSamples, async ({ body: { share } }) => {
      const checks = requirePart(found, 'replication')
      const planned = Math.ceil((await checks.count()) * share)
      const perMillion = Math.max(1, Math.round(share * million))
      return database.write(async (tx) => {
        if (await taskQueue.hasOpen(tx, runKey)) throw observabilityErrors.samples_running()
        const taskId = await taskQueue.add(tx, verifyShareTask, {}, { key: runKey })
        await beginSampleRun(tx, { taskId, perMillion, planned, nowMs: clock.now() })
        return { task_id: taskId, planned }
      })
    })
  },
})

/** One at a time. */
const runKey = 'copy_verification'

function describeRun(run: SampleRun, isOpen: boolean): NonNullable<Samples['run']> {
  const { task_id, planned, copies, bytes, intact, missing, wrong_bytes, unreachable, started_at, finished_at } = run
  return {
    ...{ task_id, planned, copies, bytes, intact, missing, wrong_bytes, unreachable },
    state: finished_at !== null ? 'completed' : isOpen ? 'running' : 'failed',
    started_at: formatTime(started_at),
    ...(finished_at === null ? {} : { finished_at: formatTime(finished_at) }),
  }
}
