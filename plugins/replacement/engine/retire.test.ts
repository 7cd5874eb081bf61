import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows } from '#kernel/testing'
import { itemStatesOf, openReplacementScene, type ReplacementScene, taskKeys } from '../testing/replacement-scene.ts'
import { resumeReplacements } from './resume.ts'

let scene: ReplacementScene

beforeEach(async () => {
  scene = await openReplacementScene()
})

afterEach(() => scene[Symbol.asyncDispose]())

/** The end of the old service was requested. */
async function beginRetirement() {
  const content = await scene.addContent([scene.source, scene.other])
  const { replacement } = await scene.confirm()
  const { id, targetId } = replacement
  await scene.create(targetId)
  await scene.stepUntil(id, ({ phase }) => phase === 'migrate')
  await scene.setCopy(targetId, content, 'committed')
  return scene.stepUntil(id, ({ phase }) => phase === 'retire')
}

const endTask = () => taskKeys.end(scene.source.id)
const resume = () => resumeReplacements(scene.engine, new AbortController().signal)

test('a finished end completes the replacement, its counts are kept, and its items are deleted', async () => {
  const { id } = await beginRetirement()
  expect(await scene.slots.list(scene.rows.database.read, 1)).toMatchObject([
    { generations: [{ endCause: 'replaced' }, { endCause: null }] },
    {},
  ])
  await scene.retire(scene.source.id)
  const done = await scene.stepUntil(id, ({ status }) => status === 'completed')
  expect(done).toMatchObject({ phase: 'none', terminationEpoch: '77', finishedAtMs: expect.any(Number) })
  await scene.step(id)
  expect(await itemStatesOf(scene, id)).toEqual([])
  expect(await scene.progress(id)).toMatchObject({ isSeeded: true, total: 1, processed: 1, percent: 100, byState: { copied: 1 } })
})

test('debt: an operator is called, a retry goes on, and the replacement completes when the debt is settled', async () => {
  const { id, targetId } = await beginRetirement()
  await scene.setTask(endTask(), { wait: 'payment_debt', message: 'the account owes 5 USDFC' })
  expect((await scene.step(id)).kind).toBe('done')
  expect(await scene.find(id)).toMatchObject({
    status: 'cleanup_attention',
    phase: 'retire',
    lastError: 'the account owes 5 USDFC',
    waitReason: null,
  })
  await scene.endDrive(id)
  expect(await scene.service.retry(id)).toMatchObject({ status: 'retiring', lastError: null, targetId })
  await scene.retire(scene.source.id)
  expect(await scene.stepUntil(id, ({ status }) => status === 'completed')).toMatchObject({ lastError: null })
})

test('an end that comes by itself while an operator is called completes the replacement', async () => {
  const { id } = await beginRetirement()
  await scene.setTask(endTask(), { wait: 'payment_debt', message: 'debt' })
  await scene.step(id)
  await scene.endDrive(id)
  expect(await resume()).toBe(0)
  await scene.retire(scene.source.id)
  expect(await resume()).toBe(1)
  await scene.stepUntil(id, ({ status }) => status === 'completed')
})

test('an end whose attempts are used up calls an operator, and a retry requests it again', async () => {
  const { id } = await beginRetirement()
  await scene.setTask(endTask(), { failure: 'termination_failed', message: 'the transaction reverted' })
  await scene.step(id)
  expect(await scene.find(id)).toMatchObject({ status: 'cleanup_attention', lastError: 'the transaction reverted' })
  await scene.endDrive(id)
  await scene.service.retry(id)
  expect(await scene.engine.queue.hasOpen(scene.rows.database.read, endTask())).toBe(true)
  await scene.step(id)
  expect((await scene.find(id)).status).toBe('retiring')
})

test.each([
  ['provider', 'retirement'],
  ['chain', 'retirement'],
  ['funding', 'funding'],
  ['retirement', 'retirement'],
])('an end that waits for %s makes the replacement wait for %s, without an error', async (wait, reason) => {
  const { id } = await beginRetirement()
  await scene.setTask(endTask(), { wait, message: 'not now' })
  await scene.step(id)
  expect(await scene.find(id)).toMatchObject({
    status: 'waiting',
    phase: 'retire',
    waitReason: reason,
    waitMessage: 'not now',
    lastError: null,
  })
  await scene.setTask(endTask(), { wait: 'confirmation' })
  await scene.step(id)
  expect(await scene.find(id)).toMatchObject({ status: 'retiring', waitReason: null })
})

test('an end whose task was lost is requested again', async () => {
  const { id } = await beginRetirement()
  await scene.endTasks()
  await scene.step(id)
  expect(await scene.engine.queue.hasOpen(scene.rows.database.read, endTask())).toBe(true)
  expect((await scene.find(id)).status).toBe('retiring')
})

test('retry_task_running, retry_superseded, retry_completed: a retry is refused in every other state', async () => {
  const { id } = await beginRetirement()
  const refused = (code: string, status = 409) => expect(scene.service.retry(id)).rejects.toMatchObject({ code, status })
  await refused('replacement_not_retryable')
  await scene.setTask(endTask(), { wait: 'payment_debt', message: 'debt' })
  await scene.step(id)
  // The row of its task is still open, as while its last step ends.
  await refused('replacement_task_running')
  await scene.sql(`update replacements set status = 'superseded', phase = 'none' where id = ?`, id)
  await refused('replacement_superseded')
  await scene.sql(`update replacements set status = 'completed' where id = ?`, id)
  await refused('replacement_not_retryable')
  await expect(scene.service.retry(4711)).rejects.toMatchObject({ code: 'replacement_not_found', status: 404 })
})

test('I-43: a replacement whose task was lost gets it again', async () => {
  const { id } = await beginRetirement()
  expect(await resume()).toBe(0)
  await scene.endDrive(id)
  expect(await resume()).toBe(1)
  expect(await scene.engine.queue.hasOpen(scene.rows.database.read, `storage_replacement:${id}`)).toBe(true)
})

test('the replacements of a deleted bucket are deleted, also one that failed', async () => {
  const { id } = await beginRetirement()
  await scene
    .confirm({ dataSetId: scene.other.id })
    .then(({ replacement }) => scene.sql(`update replacements set status = 'failed' where id = ?`, replacement.id))
  await scene.sql('update buckets set deleted_at = 1')
  await scene.sql(`update data_set_endings set cause = 'bucket_deleted'`)
  await scene.sql(
    `insert into data_set_endings (data_set_id, cause, state, path, requested_at, updated_at)
     select id, 'bucket_deleted', 'pending', 'relay', 0, 0 from data_sets where id not in (select data_set_id from data_set_endings)`,
  )
  await scene.endDrive(id)
  for (let n = 0; n < 4; n++) {
    await resume()
    for (const { id: one } of await scene.service.list({ limit: 10 })) await scene.step(one)
  }
  expect(await scene.service.list({ limit: 10 })).toEqual([])
  expect(await allRows(scene.rows.database.read, 'select * from replacement_items')).toEqual([])
})
