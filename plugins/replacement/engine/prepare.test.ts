import { afterEach, beforeEach, expect, test } from 'vitest'
import { openReplacementScene, type ReplacementScene, taskKeys } from '../testing/replacement-scene.ts'

/** Races of a run; 1000 by hand. */
const races = Number(process.env.SVC_RACE_RUNS ?? 24)

let scene: ReplacementScene

beforeEach(async () => {
  scene = await openReplacementScene()
})

afterEach(() => scene[Symbol.asyncDispose]())

const current = async () => (await scene.slots.list(scene.rows.database.read, 1))[0]?.currentId
const outcomes = async (id: number) => (await scene.step(id)).kind

async function begin() {
  const { replacement } = await scene.confirm()
  return replacement
}

test.each([
  ['wait_target_creating', { wait: 'target_creating', message: 'not confirmed yet' }, 'target_creating'],
  ['wait_target', { wait: 'provider', message: 'it does not answer' }, 'target'],
  ['wait_target (busy)', { wait: 'provider_busy' }, 'target'],
  ['wait_funding', { wait: 'funding', message: 'the account is empty' }, 'funding'],
  ['wait_spend_limit', { wait: 'spend_limit', message: 'the limit of the day is reached' }, 'spend_limit'],
  ['a silent chain', { wait: 'chain', message: 'the chain node does not answer' }, 'target_creating'],
] as const)('%s: the wait has its reason and no error, and ends by itself', async (_name, wait, reason) => {
  const { id, targetId } = await begin()
  await scene.setTask(taskKeys.ensure(targetId), wait)
  expect(await outcomes(id)).toBe('wait')
  expect(await scene.find(id)).toMatchObject({
    status: 'waiting',
    phase: 'prepare',
    waitReason: reason,
    lastError: null,
    failureReason: null,
  })
  expect(await current()).toBe(scene.source.id)
  await scene.create(targetId)
  expect(await scene.stepUntil(id, ({ phase }) => phase === 'migrate')).toMatchObject({
    status: 'migrating',
    waitReason: null,
    waitMessage: null,
  })
})

test('wait_target_writable: a provider that has not processed the creation yet is waited for, and nothing has moved', async () => {
  const { id, targetId } = await begin()
  await scene.create(targetId)
  await scene.sql(`update data_sets set create_tx = '0x1' where id = ?`, targetId)
  let state = 'pending'
  scene.pipeline.world.client.creationStatus = async () => ({ kind: 'ok', value: { state } as never })
  await scene.step(id)
  expect(await scene.find(id)).toMatchObject({ status: 'waiting', waitReason: 'target_writable', lastError: null })
  expect(await current()).toBe(scene.source.id)
  state = 'created'
  await scene.stepUntil(id, ({ phase }) => phase === 'migrate')
  expect(await current()).toBe(targetId)
})

test('wait_target: a created data set whose provider does not answer does not take over', async () => {
  const { id, targetId } = await begin()
  await scene.create(targetId)
  scene.pipeline.world.client.ping = async () =>
    ({ kind: 'not_sent', cause: { reason: 'unreachable', step: 'connect', detail: 'refused' } }) as never
  await scene.step(id)
  expect(await scene.find(id)).toMatchObject({ status: 'waiting', waitReason: 'target' })
  expect(await current()).toBe(scene.source.id)
})

test('a wait is recorded once, however often it is looked at', async () => {
  const { id, targetId } = await begin()
  await scene.setTask(taskKeys.ensure(targetId), { wait: 'funding', message: 'empty' })
  await scene.step(id)
  scene.heard.length = 0
  for (let n = 0; n < 5; n++) expect(await outcomes(id)).toBe('wait')
  expect(scene.heard).toEqual([])
})

test('a creation whose attempts are used up fails the replacement, and a retry creates it again at the same provider', async () => {
  const { id, targetId, providerId } = await begin()
  await scene.setTask(taskKeys.ensure(targetId), { failure: 'provider_refused', message: 'the provider refused' })
  expect(await outcomes(id)).toBe('done')
  expect(await scene.find(id)).toMatchObject({
    status: 'failed',
    phase: 'prepare',
    lastError: 'the provider refused',
    failureReason: 'target_not_created',
  })
  await scene.endDrive(id)
  expect(await scene.service.retry(id)).toMatchObject({ status: 'preparing_target', lastError: null, failureReason: null, providerId })
  await scene.setTask(taskKeys.ensure(targetId), { wait: 'target_creating' })
  expect(await scene.find(id)).toMatchObject({ status: 'preparing_target', targetId })
})

test('target_in_use_on_chain: the failure names what is there, a retry is refused, and another provider may be confirmed', async () => {
  const { id, targetId } = await begin()
  await scene.setTask(taskKeys.ensure(targetId), { failure: 'target_in_use', message: 'provider 3 already runs the data set 9' })
  await scene.step(id)
  await scene.endDrive(id)
  expect(await scene.find(id)).toMatchObject({
    status: 'failed',
    failureReason: 'target_in_use',
    lastError: expect.stringContaining('provider 3'),
  })
  await expect(scene.service.retry(id)).rejects.toMatchObject({ code: 'replacement_target_in_use', status: 409 })
  expect(await current()).toBe(scene.source.id)
  const { replacement } = await scene.confirm({ mode: 'manual', providerId: '4' })
  await scene.create(replacement.targetId)
  await scene.stepUntil(replacement.id, ({ phase }) => phase === 'migrate')
})

test('a creation whose task was lost is continued', async () => {
  const { id, targetId } = await begin()
  await scene.endTasks()
  await scene.step(id)
  expect((await scene.find(id)).status).toBe('preparing_target')
  await scene.setTask(taskKeys.ensure(targetId), { wait: 'target_creating' })
})

test('takeover_supersede_race: a takeover and a later confirmation at the same time: one wins, and the other changes nothing', {
  timeout: 60_000 + races * 1000,
}, async () => {
  for (let run = 0; run < races; run++) {
    await using one = await openReplacementScene()
    const first = (await one.confirm()).replacement
    await one.create(first.targetId)
    const acts = [() => one.step(first.id), () => one.confirm()]
    if (run % 2 === 1) acts.reverse()
    const [a, b] = await Promise.allSettled(acts.map((act) => act()))
    const confirmed = run % 2 === 1 ? a : b
    const found = await one.service.list({ limit: 10 })
    const slot = (await one.slots.list(one.rows.database.read, 1))[0]
    const isTaken = slot?.currentId === first.targetId
    expect(found.filter(({ status }) => status !== 'superseded')).toHaveLength(1)
    expect([confirmed?.status, (await one.find(first.id)).status]).toEqual(
      isTaken ? ['rejected', 'migrating'] : ['fulfilled', 'superseded'],
    )
    if (isTaken) expect((confirmed as PromiseRejectedResult).reason).toMatchObject({ code: 'replacement_source_not_current' })
    else expect(slot?.generations.find(({ id }) => id === first.targetId)?.endCause).toBe('unused')
  }
})

test('a replacement that was superseded while its provider was asked does not take over', async () => {
  const { id, targetId } = await begin()
  await scene.create(targetId)
  scene.pipeline.world.client.ping = async () => {
    await scene.confirm()
    return { kind: 'ok', value: { elapsedMs: 1 } }
  }
  await scene.step(id)
  expect([(await scene.find(id)).status, await current()]).toEqual(['superseded', scene.source.id])
})
