/** Replacements that wait, fail or stop, over HTTP on a devnet. */
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, type TestOptions, test } from 'vitest'
import { watchProbes } from '#kernel/testing'
import { isInstalledProgram } from '../../cli/testing/svc-program.ts'
import { listReplacements } from '../../plugins/replacement/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import { onceIdle } from '../fixtures/admin-data.ts'
import { deleteCachedFiles } from '../fixtures/cached-files.ts'
import { createAdvancingClock } from '../fixtures/gateways/serve-here.ts'
import { sha256 } from '../fixtures/gateways/stage.ts'
import { needsSources } from '../fixtures/needs-sources.ts'
import { createForeignDataSet, type ReplacementStage, startReplacementStage } from '../fixtures/replacements/replacement-stage.ts'
import { readTasks } from '../fixtures/task-gateway.ts'
import { until } from '../fixtures/until.ts'
import { waitForCopies } from '../fixtures/verify-copies.ts'

/** Advanced where a test would wait for retries. */
const clock = createAdvancingClock()
const hourMs = 3_600_000
let stage: ReplacementStage
beforeAll(async () => {
  stage = await startReplacementStage(isInstalledProgram ? {} : { clock })
})
// A test that fails leaves no fault to the next one.
afterEach(() => stage.network.devnet.providers.forEach(({ faults }) => void faults.clear()))
afterAll(() => stage?.[Symbol.asyncDispose]())

const scenarioWith = (options: TestOptions) => (name: string, run: () => Promise<void>) => test(name, { timeout: 300_000, ...options }, run)
const scenario = scenarioWith({})
const scenarioWithClock = scenarioWith(needsSources('it moves the clock of the gateway ahead'))
const scenarioWithProbe = scenarioWith(needsSources('it holds the gateway at a probe'))

scenario('waits calmly for its target, is superseded by a later confirmation, and its unused provider is shut down', async () => {
  const place = await stage.makeBucket(2)
  const { bucket, source } = place
  const silent = stage.free(place)
  stage.provider(silent).faults.add({ kind: 'drop_connection', routes: ['data_set_create', 'data_set_create_and_add'] })
  const earlier = stage.calls.accepted(await stage.calls.ask(bucket, source.id, { mode: 'manual', provider_id: silent }))
  const waiting = await stage.calls.reaches(earlier.id, ({ wait_reason }) => wait_reason === 'target')
  expect(waiting).toMatchObject({ status: 'waiting', last_error: null, retryable: false, progress: { phase: 'prepare' } })
  expect(refusalOf(await stage.calls.retry(earlier.id))).toEqual([409, 'replacement_not_retryable'])
  // Its task waits too, and is not retried by itself.
  const tasks = await until('its task waits', async () => {
    const { tasks: found } = await readTasks(stage.svc, '?type=storage_replacement&limit=100')
    // The record says so a moment before the run of its task ends, and between two attempts the reason is that the creation is not decided.
    return found.every((task) => task.presentation_status === 'waiting' && task.wait_reason === 'target') ? found : undefined
  })
  expect(tasks).toMatchObject([{ retryable: false, retry_count: 0 }])
  expect(refusalOf(await stage.svc.call('POST', `/api/v1/tasks/${tasks[0]?.id}/retry`))).toEqual([404, 'not_found'])
  // Uploads still go to the source.
  const object = await stage.data.upload(bucket, 'meanwhile', randomBytes(1000))
  const { copies } = await waitForCopies(stage.svc, { bucket, versionId: object.versionId }, { copies: 2 })
  expect(copies.map(({ provider_id }) => provider_id)).toContain(source.provider_id)

  const later = stage.calls.accepted(await stage.calls.ask(bucket, source.id))
  expect([later.id > earlier.id, later.target.provider_id === silent]).toEqual([true, false])
  const superseded = await stage.calls.read(earlier.id)
  expect(superseded).toMatchObject({ status: 'superseded', superseded_by: later.id, last_error: null, progress: { phase: 'none' } })
  expect(refusalOf(await stage.calls.retry(earlier.id))).toEqual([409, 'replacement_superseded'])
  const active = answerOf(listReplacements, await stage.svc.call('GET', `/api/v1/storage-replacements?bucket=${bucket}`)).replacements
  expect(active.filter(({ status }) => status !== 'superseded').map(({ id }) => id)).toEqual([later.id])
  stage.provider(silent).faults.clear()
  await stage.calls.reaches(later.id, 'completed')
  const unused = await until('the unused data set has ended', async () =>
    (await stage.calls.detail(bucket)).data_sets.find(({ provider_id, status }) => provider_id === silent && status === 'retired'),
  )
  expect(unused).toMatchObject({ id: earlier.target.id, is_current: false, replaceable: false, committed_copies: 0 })
  expect(stage.landed(silent, 'create')).toBe(stage.landed(silent, 'terminate'))
})

scenarioWithClock('fails when its target cannot be created, and its own retry resumes it at the same provider', async () => {
  const place = await stage.makeBucket(2)
  const { bucket, source } = place
  const target = stage.free(place)
  stage
    .provider(target)
    .faults.add({ kind: 'answer', status: 400, text: 'refused', routes: ['data_set_create', 'data_set_create_and_add'] })
  const { id } = stage.calls.accepted(await stage.calls.ask(bucket, source.id, { mode: 'manual', provider_id: target }))
  const failed = await until(
    'the creation has used all its attempts',
    async () => {
      const record = await stage.calls.read(id)
      if (record.status === 'failed') return record
      clock.advance(hourMs)
      return undefined
    },
    { withinMs: 120_000, everyMs: 1000 },
  )
  expect(failed).toMatchObject({
    retryable: true,
    failure_reason: expect.any(String),
    target: { provider_id: target },
    progress: { phase: 'prepare' },
  })
  // Only its own retry recovers it: its task has not failed.
  expect((await readTasks(stage.svc, '?type=storage_replacement&status=failed')).tasks).toEqual([])
  stage.provider(target).faults.clear()
  const resumed = stage.calls.resumed(await stage.calls.retry(id))
  expect(resumed).toMatchObject({ id, last_error: null, target: { provider_id: target } })
  expect(resumed.status).not.toBe('failed')
  expect(await stage.calls.reaches(id, 'completed')).toMatchObject({ target: { provider_id: target, is_current: true } })
})

/** Holds the task that brings the replacement to `status` after its run, before its row is closed. */
async function holdTaskAt(id: number, status: string, probes: ReturnType<typeof watchProbes>) {
  let held = probes.holdAt('tasks.ran')
  return until(`a task that ends with the replacement ${status}`, async () => {
    await held.reached
    // Runs that come after this look are held by the next one too.
    const next = probes.holdAt('tasks.ran')
    if ((await stage.calls.read(id)).status === status) return { release: () => [held, next].map((one) => one.release()) }
    held.release()
    held = next
    return undefined
  })
}

scenarioWithProbe('stops at failed when the chain shows a service of the bucket at its target; nothing has moved', async () => {
  const place = await stage.makeBucket(2)
  const { bucket, source } = place
  const target = stage.free(place)
  const foreign = await createForeignDataSet(stage, bucket, target)
  using probes = watchProbes()
  const { id } = stage.calls.accepted(await stage.calls.ask(bucket, source.id, { mode: 'manual', provider_id: target }))
  const held = await holdTaskAt(id, 'failed', probes)
  expect(refusalOf(await stage.calls.retry(id))).toEqual([409, 'replacement_task_running'])
  held.release()
  const failed = await stage.calls.reaches(id, 'failed')
  expect(failed).toMatchObject({ failure_reason: 'target_in_use', retryable: false, source: { is_current: true, status: 'ready' } })
  expect(failed.last_error).toContain(`provider ${target}`)
  expect(failed.last_error).toContain(`data set ${foreign}`)
  await until('the task is closed', async () => {
    const refusal = refusalOf(await stage.calls.retry(id))
    if (refusal[1] === 'replacement_task_running') return undefined
    expect(refusal).toEqual([409, 'replacement_target_in_use'])
    return true
  })
  expect((await stage.calls.read(id)).status).toBe('failed')
  const other = stage.free(place, target)
  const next = stage.calls.accepted(await stage.calls.ask(bucket, source.id, { mode: 'manual', provider_id: other }))
  expect((await stage.calls.read(id)).status).toBe('superseded')
  await stage.calls.reaches(next.id, 'completed')
})

scenario('waits for contents without a source and keeps the old provider; the new generation is its target alone', async () => {
  const { bucket, source, object } = await stage.makeBucket(1)
  const lost = await stage.data.upload(bucket, 'second', randomBytes(3000))
  await waitForCopies(stage.svc, { bucket, versionId: lost.versionId }, { copies: 1 })
  // Neither the cache nor another replica has the bytes.
  deleteCachedFiles(stage.dir)
  const ended = stage.landed(source.provider_id, 'terminate')
  const { id, target } = stage.calls.accepted(await stage.calls.ask(bucket, source.id))
  const waiting = await stage.calls.reaches(id, ({ wait_reason }) => wait_reason === 'source')
  expect(waiting).toMatchObject({
    status: 'waiting',
    last_error: null,
    source: { is_current: false },
    target: { is_current: true },
    taken_over_at: expect.any(String),
    progress: { phase: 'migrate', seeding_complete: true, items_total: 2, items_waiting_source: 2, percent: 0 },
  })
  expect(stage.landed(source.provider_id, 'terminate')).toBe(ended)
  expect(refusalOf(await stage.calls.ask(bucket, source.id))).toEqual([409, 'replacement_source_not_current'])
  expect(refusalOf(await stage.calls.ask(bucket, target.id))).toEqual([409, 'replacement_active'])
  expect((await stage.calls.detail(bucket)).data_sets.map(({ replaceable }) => replaceable)).toEqual([false, false])
  // A content that is deleted is not copied, and counts as processed.
  const deleted = await onceIdle(() =>
    stage.svc.call('POST', `/api/v1/buckets/${bucket}/objects/permanent-delete`, { json: { key: lost.key, version_id: lost.versionId } }),
  )
  expect(deleted.status, deleted.text).toBeLessThan(300)
  await stage.calls.reaches(id, ({ progress }) => progress.items_no_longer_needed === 1)
  // A read brings the bytes into the cache, and the copy begins by itself.
  expect(sha256(await stage.download(bucket, 'first'))).toBe(sha256(object.bytes))
  expect(await stage.calls.reaches(id, 'completed')).toMatchObject({
    items_total: 2,
    items_copied: 1,
    progress: { items_no_longer_needed: 1, items_processed: 2, percent: 100 },
  })
  expect(sha256(await stage.download(bucket, 'first'))).toBe(sha256(object.bytes))
})

scenarioWithProbe('needs an operator while the account is in debt, and its retry ends the old service after a deposit', async () => {
  const { bucket, source } = await stage.makeBucket(1)
  const { devnet, privateKey, payer } = stage.network
  using probes = watchProbes()
  // Before the end is sent: a provider may send it in a moment.
  using held = probes.holdAt('storage.end.retiring')
  const { id, target } = stage.calls.accepted(await stage.calls.ask(bucket, source.id))
  await held.reached
  await devnet.chain.jump(400_000_000)
  held.release()
  // The task that stopped it may hold its lease a moment longer.
  const stopped = await stage.calls.reaches(id, ({ status, retryable }) => status === 'cleanup_attention' && retryable)
  expect(stopped).toMatchObject({ last_error: expect.stringContaining('cannot be ended'), target: { is_current: true } })
  expect(refusalOf(await stage.calls.ask(bucket, source.id))).toEqual([409, 'replacement_source_not_current'])
  expect(refusalOf(await stage.calls.ask(bucket, target.id))).toEqual([409, 'replacement_active'])
  await devnet.mintUsdfc(payer, 5000n * 10n ** 18n)
  await devnet.depositFor(privateKey, 5000n * 10n ** 18n)
  const resumed = stage.calls.resumed(
    await until('a retry is accepted', async () => {
      const reply = await stage.calls.retry(id)
      return reply.status === 200 ? reply : undefined
    }),
  )
  expect(resumed).toMatchObject({ id, last_error: null, target: { id: target.id, provider_id: target.provider_id } })
  await stage.calls.reaches(id, 'completed')
})
