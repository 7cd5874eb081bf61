import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Content, itemStatesOf, openReplacementScene, type ReplacementScene, taskKeys } from '../testing/replacement-scene.ts'
import { copiesInFlightMax, failuresMax } from './sweep.ts'

let scene: ReplacementScene

beforeEach(async () => {
  scene = await openReplacementScene()
})

afterEach(() => scene[Symbol.asyncDispose]())

/** The target has taken over. */
async function takeOver() {
  const { replacement } = await scene.confirm()
  await scene.create(replacement.targetId)
  return scene.stepUntil(replacement.id, ({ phase }) => phase === 'migrate')
}

const both = () => [scene.source, scene.other]
const states = async (id: number) => (await itemStatesOf(scene, id)).map(({ state }) => state)

/** Two steps: the list of contents, and the first look at them. */
async function look(id: number): Promise<void> {
  for (let n = 0; n < 2; n++) await scene.step(id)
}

test('seed_counts_unique: a content that several versions share is one item', async () => {
  const content = await scene.addContent(both())
  await scene.sql('update contents set ref_count = 3 where id = ?', content.contentId)
  const { id } = await takeOver()
  await look(id)
  expect(await scene.progress(id)).toMatchObject({ isSeeded: true, total: 1 })
})

test('percent_absent_while_seeding: until all contents are listed there is no percentage', async () => {
  await scene.addContent(both())
  const { id } = await takeOver()
  expect(await scene.progress(id)).toMatchObject({ isSeeded: false, total: 0, percent: undefined })
  await scene.step(id)
  expect(await scene.progress(id)).toMatchObject({ isSeeded: true, total: 1, percent: 0 })
})

test('percent_100_when_empty: a replica without contents is complete, and its old service ends', async () => {
  const { id } = await takeOver()
  await scene.stepUntil(id, ({ phase }) => phase === 'retire')
  expect(await scene.progress(id)).toMatchObject({ total: 0, percent: 100 })
})

test('percent_100_after_deletes: contents that were deleted before their copy are no longer needed', async () => {
  const [kept, deleted] = [await scene.addContent(both()), await scene.addContent(both())]
  const { id, targetId } = await takeOver()
  await look(id)
  await scene.setCopy(targetId, kept, 'committed')
  await scene.deleteContent(deleted)
  await scene.stepUntil(id, ({ phase }) => phase === 'retire')
  expect(await scene.progress(id)).toMatchObject({ total: 2, processed: 2, percent: 100, byState: { copied: 1, no_longer_needed: 1 } })
})

test('content_deleted_mid_copy: its item is no longer needed, and the copied ones stay copied, also when they are deleted', async () => {
  const [first, second] = [await scene.addContent(both()), await scene.addContent(both())]
  const { id, targetId } = await takeOver()
  await look(id)
  await scene.setCopy(targetId, first, 'committed')
  await scene.setCopy(targetId, second, 'transferring')
  await scene.step(id)
  expect(await states(id)).toEqual(['copied', 'active'])
  for (const content of [first, second]) await scene.deleteContent(content)
  await scene.stepUntil(id, ({ phase }) => phase !== 'migrate')
  expect(await states(id)).toEqual(['copied', 'no_longer_needed'])
})

test('copy_from_other_replica and copy_from_cache: a copy is pulled from another slot, or uploaded from the cache', async () => {
  const pulled = await scene.addContent(both(), { isCached: false })
  const uploaded = await scene.addContent([scene.source])
  const { id, targetId } = await takeOver()
  await scene.endTasks()
  await look(id)
  const { read } = scene.rows.database
  const open = await scene.engine.queue.openKeys(read, [
    taskKeys.pull(targetId),
    taskKeys.store(pulled.contentId),
    taskKeys.store(uploaded.contentId),
  ])
  expect(open).toEqual(new Set([taskKeys.pull(targetId), taskKeys.store(uploaded.contentId)]))
  await scene.step(id)
  expect(await scene.find(id)).toMatchObject({ status: 'migrating' })
})

test('source_appears: a content without a source waits, the old service stays, and the item leaves the wait by itself', async () => {
  const content = await scene.addContent([scene.source], { isCached: false })
  const { id, targetId } = await takeOver()
  await look(id)
  await scene.endTasks()
  await scene.step(id)
  expect(await scene.find(id)).toMatchObject({ status: 'waiting', phase: 'migrate', waitReason: 'source', lastError: null })
  expect((await scene.progress(id)).byState).toMatchObject({ waiting_source: 1, pending: 0 })
  const slot = (await scene.slots.list(scene.rows.database.read, 1))[0]
  expect(slot?.generations[0]).toMatchObject({ state: 'write_blocked', endCause: null })
  await scene.cache(content)
  await scene.step(id)
  expect(await scene.engine.queue.hasOpen(scene.rows.database.read, taskKeys.store(content.contentId))).toBe(true)
  expect(await scene.find(id)).toMatchObject({ status: 'migrating', waitReason: null })
  expect(await states(id)).toEqual(['pending'])
  await scene.setCopy(targetId, content, 'committed')
  await scene.stepUntil(id, ({ phase }) => phase === 'retire')
})

test('item_undecided_counts_active, item_attention_counts_attention: both are outstanding, and the counts add up to the total', async () => {
  const contents: Content[] = []
  for (let n = 0; n < 7; n++) contents.push(await scene.addContent(both()))
  const { id, targetId } = await takeOver()
  await look(id)
  const wanted = ['unconfirmed', 'attention', 'batched', 'parked', 'committed', 'planned', 'planned']
  for (const [index, state] of wanted.entries()) await scene.setCopy(targetId, contents[index] as Content, state)
  await scene.sql(
    'update copies set next_attempt_at = ? where data_set_id = ? and content_id = ?',
    scene.pipeline.clock.now() + 60_000,
    targetId,
    Number(contents[6]?.contentId),
  )
  await scene.step(id)
  const { byState, total, processed } = await scene.progress(id)
  expect(byState).toEqual({
    pending: 1,
    active: 3,
    retrying: 1,
    waiting_source: 0,
    failed: 0,
    attention: 1,
    copied: 1,
    no_longer_needed: 0,
  })
  expect([total, processed]).toEqual([7, 1])
  expect(await scene.find(id)).toMatchObject({ status: 'migrating' })
})

test('next_retry_at only in the future: the earliest retry that is still due later is shown', async () => {
  const contents = [await scene.addContent(both()), await scene.addContent(both())]
  const { id, targetId } = await takeOver()
  await look(id)
  const nowMs = scene.pipeline.clock.now()
  for (const [index, atMs] of [nowMs + 10_000, nowMs + 30_000].entries())
    await scene.sql(
      'update copies set next_attempt_at = ? where data_set_id = ? and content_id = ?',
      atMs,
      targetId,
      Number(contents[index]?.contentId),
    )
  await scene.step(id)
  expect((await scene.progress(id)).nextRetryAtMs).toBe(nowMs + 10_000)
  await scene.pipeline.clock.advance(15_000)
  expect((await scene.progress(id)).nextRetryAtMs).toBe(nowMs + 30_000)
  await scene.pipeline.clock.advance(30_000)
  expect((await scene.progress(id)).nextRetryAtMs).toBeNull()
})

test('copy_exhausted: when nothing else is left the replacement fails, and a retry makes the items pending with the same provider', async () => {
  const content = await scene.addContent([scene.source])
  const { id, targetId, providerId } = await takeOver()
  await scene.endTasks()
  await look(id)
  await scene.setTask(taskKeys.store(content.contentId), { failure: 'provider_refused', message: 'the provider refused the piece' })
  await scene.step(id)
  expect(await scene.find(id)).toMatchObject({
    status: 'failed',
    phase: 'migrate',
    failureReason: 'items_failed',
    lastError: expect.stringContaining('refused the piece'),
  })
  expect((await scene.progress(id)).byState.failed).toBe(1)
  await scene.endDrive(id)
  expect(await scene.service.retry(id)).toMatchObject({ status: 'migrating', lastError: null, failureReason: null, targetId, providerId })
  expect((await scene.progress(id)).byState).toMatchObject({ pending: 1, failed: 0 })
  await scene.step(id)
  expect(await scene.engine.queue.hasOpen(scene.rows.database.read, taskKeys.store(content.contentId))).toBe(true)
  expect((await scene.find(id)).status).toBe('migrating')
  expect(await states(id)).toEqual(['pending'])
})

test.each([
  ['funding', 'funding'],
  ['spend_limit', 'spend_limit'],
  ['provider', 'target'],
])('wait_%s: while no copy can be made the replacement waits for %s without an error, and goes on when one moves', async (wait, reason) => {
  const content = await scene.addContent(both())
  const { id, targetId } = await takeOver()
  await look(id)
  await scene.setTask(taskKeys.pull(targetId), { wait, message: 'not now' })
  await scene.step(id)
  await scene.step(id)
  expect(await scene.find(id)).toMatchObject({
    status: 'waiting',
    phase: 'migrate',
    waitReason: reason,
    waitMessage: 'not now',
    lastError: null,
  })
  await scene.setCopy(targetId, content, 'transferring')
  await scene.step(id)
  expect(await scene.find(id)).toMatchObject({ status: 'migrating', waitReason: null })
})

test('retire_blocked_by_unconfirmed_source_copy: an undecided transaction of the old data set keeps its service', async () => {
  const content = await scene.addContent(both())
  const { id, targetId } = await takeOver()
  await look(id)
  await scene.setCopy(targetId, content, 'committed')
  await scene.sql(
    `insert into commit_batches (data_set_id, method, state, nonce, extra_data, created_at, updated_at) values (?, 'store', 'uncertain', 'open', '0x', 0, 0)`,
    scene.source.id,
  )
  await scene.step(id)
  expect(await scene.find(id)).toMatchObject({
    status: 'waiting',
    waitReason: 'retirement',
    waitMessage: expect.stringContaining('transaction'),
  })
  await scene.sql(`update commit_batches set state = 'closed' where nonce = 'open'`)
  expect(await scene.stepUntil(id, ({ phase }) => phase === 'retire')).toMatchObject({ status: 'retiring', waitReason: null })
})

test('a copy is copied only when the provider serves it: an unanswered request keeps it active', async () => {
  const content = await scene.addContent(both())
  const { id, targetId } = await takeOver()
  await look(id)
  await scene.setCopy(targetId, content, 'committed')
  scene.pipeline.world.client.headPiece = async () =>
    ({ kind: 'not_sent', cause: { reason: 'unreachable', step: 'connect', detail: '' } }) as never
  await scene.step(id)
  expect(await states(id)).toEqual(['active'])
  scene.pipeline.world.client.headPiece = async () => ({ kind: 'ok', value: { size: 1 } })
  await scene.step(id)
  expect(await states(id)).toEqual(['copied'])
})

test('retire_checks_readability I-53: a piece that the target lost after it was copied keeps the old service, and its item is copied again', async () => {
  const [lost, kept] = [await scene.addContent(both()), await scene.addContent(both())]
  const { id, targetId } = await takeOver()
  await look(id)
  await scene.setCopy(targetId, lost, 'committed')
  await scene.step(id)
  expect(await states(id)).toEqual(['copied', 'pending'])
  await scene.setCopy(targetId, lost, 'planned')
  await scene.setCopy(targetId, kept, 'committed')
  await scene.step(id)
  expect(await states(id)).toEqual(['pending', 'copied'])
  expect(await scene.find(id)).toMatchObject({ phase: 'migrate', waitReason: 'retirement' })
  await scene.setCopy(targetId, lost, 'committed')
  await scene.stepUntil(id, ({ phase }) => phase === 'retire')
})

test('a missing piece is in doubt from then on, and its item stays outstanding', async () => {
  const content = await scene.addContent(both())
  const { id, targetId } = await takeOver()
  await look(id)
  await scene.setCopy(targetId, content, 'committed')
  scene.pipeline.world.client.headPiece = async () => ({ kind: 'not_sent', cause: { reason: 'not_found', detail: '404' } }) as never
  await scene.step(id)
  expect(await states(id)).toEqual(['active'])
  scene.pipeline.world.client.headPiece = async () => ({ kind: 'ok', value: { size: 1 } })
  await scene.step(id)
  // The check of the whole piece decides, and not the next short answer.
  expect(await states(id)).toEqual(['active'])
})

test('as many replicas as allowed are copied at once, and others wait for their turn', async () => {
  Object.assign(scene.engine.settings, { copying_at_once: 1 })
  await scene.addContent(both())
  const first = await takeOver()
  await scene.step(first.id)
  const { replacement: second } = await scene.confirm({ dataSetId: scene.other.id })
  await scene.create(second.targetId)
  await scene.stepUntil(second.id, ({ phase }) => phase === 'migrate')
  await scene.step(second.id)
  expect(await scene.find(second.id)).toMatchObject({ status: 'waiting', phase: 'migrate', waitReason: 'turn' })
  await scene.sql(`update replacements set status = 'waiting', wait_reason = 'source' where id = ?`, first.id)
  await scene.step(second.id)
  expect(await scene.find(second.id)).toMatchObject({ status: 'migrating' })
})

test('a target that is lost after the takeover fails the replacement, and the replica can be moved on to another provider', async () => {
  const content = await scene.addContent(both())
  const { id, targetId } = await takeOver()
  await look(id)
  await scene.sql(`update data_sets set state = 'lost', last_error = 'it was deleted' where id = ?`, targetId)
  await scene.step(id)
  expect(await scene.find(id)).toMatchObject({
    status: 'failed',
    failureReason: 'target_lost',
    lastError: expect.stringContaining('it was deleted'),
  })
  await scene.endDrive(id)
  await expect(scene.service.retry(id)).rejects.toMatchObject({ code: 'replacement_target_unavailable', status: 409 })
  const { replacement: next } = await scene.confirm({ dataSetId: targetId })
  expect(await scene.find(id)).toMatchObject({ status: 'superseded', supersededById: next.id })
  await scene.create(next.targetId)
  await scene.stepUntil(next.id, ({ phase }) => phase === 'migrate')
  await look(next.id)
  // The contents of the first data set move too, and both services end.
  expect(await itemStatesOf(scene, next.id)).toEqual([{ contentId: content.contentId, state: 'pending' }])
  await scene.setCopy(next.targetId, content, 'committed')
  await scene.stepUntil(next.id, ({ phase }) => phase === 'retire')
  const slot = (await scene.slots.list(scene.rows.database.read, 1))[0]
  expect(slot?.generations.map(({ endCause }) => endCause)).toEqual(['replaced', 'replaced', null])
})

/** Contents with copies on both data sets, by statements. */
async function addMany(count: number): Promise<void> {
  await scene.sql(
    `insert into contents (id, bucket_id, identity, size, sha256, ref_count, target_copies, created_at, updated_at)
     with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select 1000 + i, 1, 'c' || i, 200, null, 1, 2, 0, 0 from n`,
  )
  await scene.sql(
    `insert into pieces (content_id, part_no, offset_bytes, length, piece_cid) select id, 0, 0, 200, 'cid' || id from contents where id > 1000`,
  )
  await scene.sql(
    `insert into commit_batches (id, data_set_id, method, state, nonce, extra_data, final_at, created_at, updated_at) values (900, ?, 'pull', 'confirmed', 'many', '0x', 1, 0, 0)`,
    scene.source.id,
  )
  for (const { id: dataSetId, slot } of both())
    await scene.sql(
      `insert into copies (content_id, piece_id, data_set_id, slot, method, state, next_attempt_at, chain_piece_id, batch_id, created_at, updated_at)
       select content_id, id, ?, ?, 'store', 'committed', 0, content_id, 900, 0, 0 from pieces where content_id > 1000`,
      dataSetId,
      slot,
    )
}

test('copies that are on their way are bounded: the rest waits in rows instead of tasks', async () => {
  expect(copiesInFlightMax).toBeLessThanOrEqual(1000)
  const { id, targetId } = await takeOver()
  await addMany(2600)
  for (let n = 0; n < 4; n++) await scene.step(id)
  expect(await scene.progress(id)).toMatchObject({ isSeeded: true, total: 2600 })
  const planned = await scene.slots.workOn(scene.rows.database.read, {
    dataSetId: targetId,
    contentIds: (await itemStatesOf(scene, id)).map(({ contentId }) => contentId),
  })
  expect([...planned.values()].filter(({ work }) => work === 'pending')).toHaveLength(copiesInFlightMax)
  expect([...planned.values()].filter(({ work }) => work === 'none')).toHaveLength(2600 - copiesInFlightMax)
})

test('what fails for many contents is not tried with all of them: the replacement fails', async () => {
  const { id, targetId } = await takeOver()
  await addMany(failuresMax + 500)
  for (let n = 0; n < 3; n++) await scene.step(id)
  await scene.setTask(taskKeys.pull(targetId), { failure: 'provider_refused', message: 'it refuses every piece' })
  const failed = await scene.stepUntil(id, ({ status }) => status === 'failed')
  expect(failed).toMatchObject({ failureReason: 'items_failed', lastError: expect.stringContaining('it refuses every piece') })
  expect((await scene.progress(id)).byState).toMatchObject({ failed: failuresMax, pending: 500 })
  await scene.endDrive(id)
  await scene.service.retry(id)
  for (let n = 0; n < 3; n++) await scene.step(id)
  expect((await scene.progress(id)).byState).toMatchObject({ failed: 0, pending: failuresMax + 500 })
})
