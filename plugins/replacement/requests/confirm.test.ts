import { afterEach, beforeEach, expect, test } from 'vitest'
import { availableProvider, openReplacementScene, type ReplacementScene } from '../testing/replacement-scene.ts'

let scene: ReplacementScene

beforeEach(async () => {
  scene = await openReplacementScene()
})

afterEach(() => scene[Symbol.asyncDispose]())

const refusal = (code: string, status: number) => expect.objectContaining({ code, status })
/** The replacement is before its takeover; then it has taken over. */
async function takeOver(id: number): Promise<void> {
  await scene.create((await scene.find(id)).targetId)
  await scene.stepUntil(id, ({ phase }) => phase === 'migrate')
}

test('confirm_auto_201: an automatic confirmation prepares a target at a provider that the bucket never used', async () => {
  const { replacement, isRepeat } = await scene.confirm()
  expect(isRepeat).toBe(false)
  expect(replacement).toMatchObject({ status: 'preparing_target', phase: 'prepare', providerId: '3', sourceId: scene.source.id, slot: 0 })
  const [slot] = await scene.slots.list(scene.rows.database.read, 1)
  expect(slot?.generations.map(({ id, state }) => [id, state])).toEqual([
    [scene.source.id, 'ready'],
    [replacement.targetId, 'planned'],
  ])
  expect(scene.heard).toContain(replacement.id)
})

test('confirm_replay_same: an identical request finds the record, and providers are not listed', async () => {
  const first = await scene.confirm({ clientRequestId: ' a ' })
  scene.pipeline.providers.listAvailable = () => Promise.reject(new Error('not asked'))
  expect(await scene.confirm({ clientRequestId: 'a' })).toMatchObject({
    isRepeat: true,
    replacement: { id: first.replacement.id, providerId: '3' },
  })
})

test('confirm_replay_after_takeover: an identical request finds the original after the switch', async () => {
  const { replacement } = await scene.confirm({ clientRequestId: 'a' })
  await takeOver(replacement.id)
  expect(await scene.confirm({ clientRequestId: 'a' })).toMatchObject({
    isRepeat: true,
    replacement: { id: replacement.id, status: 'migrating' },
  })
})

test.each([
  ['another provider', { mode: 'manual', providerId: '4' }],
  ['another mode', { mode: 'automatic' }],
  ['another data set', { mode: 'manual', providerId: '3', isOther: true }],
] as const)(
  'confirm_same_id_other_params: the id with %s is refused',
  async (_what, { isOther = false, ...command }: { isOther?: boolean; mode: string; providerId?: string }) => {
    await scene.confirm({ clientRequestId: 'a', mode: 'manual', providerId: '3' })
    const dataSetId = isOther ? scene.other.id : scene.source.id
    await expect(scene.confirm({ clientRequestId: 'a', dataSetId, ...command })).rejects.toEqual(
      refusal('replacement_idempotency_conflict', 409),
    )
  },
)

test('confirm_id_trim_limits: the id has 1 to 128 characters after trimming', async () => {
  for (const clientRequestId of ['', ' \t ', 'x'.repeat(129)])
    await expect(scene.confirm({ clientRequestId })).rejects.toEqual(refusal('client_request_id_required', 400))
  const { replacement } = await scene.confirm({ clientRequestId: ` ${'x'.repeat(128)} ` })
  expect(replacement.clientRequestId).toBe('x'.repeat(128))
})

test.each([
  ['an unknown mode', { mode: 'random' }],
  ['automatic with a provider', { mode: 'automatic', providerId: '3' }],
  ['manual without one', { mode: 'manual' }],
  ['an id with a sign', { mode: 'manual', providerId: '+3' }],
  ['an id in other digits', { mode: 'manual', providerId: '٣' }],
  ['an id of 80 digits', { mode: 'manual', providerId: '9'.repeat(80) }],
])('a confirmation is refused: %s', async (_what, command) => {
  await expect(scene.confirm(command)).rejects.toEqual(refusal('replacement_target_invalid', 400))
})

test('confirm_manual_source_provider: the provider that is replaced is refused', async () => {
  await expect(scene.confirm({ mode: 'manual', providerId: '1' })).rejects.toEqual(refusal('replacement_target_invalid', 400))
})

test('confirm_manual_live_other_slot: a provider with a live data set of the bucket is refused', async () => {
  await expect(scene.confirm({ mode: 'manual', providerId: '2' })).rejects.toEqual(refusal('replacement_target_in_use', 409))
})

test('confirm_manual_retired_provider: a provider whose earlier service has ended can be chosen, and only by hand', async () => {
  const { replacement } = await scene.confirm({ mode: 'manual', providerId: '3' })
  await takeOver(replacement.id)
  await scene.retire(scene.source.id)
  await scene.sql(`update replacements set status = 'completed', phase = 'none' where id = ?`, replacement.id)
  const dataSetId = replacement.targetId
  expect(
    (await scene.service.candidates({ bucketId: 1, dataSetId })).map(({ provider, isEligible, wasUsed }) => [
      provider.providerId,
      isEligible,
      wasUsed,
    ]),
  ).toEqual([
    ['1', true, true],
    ['4', true, false],
    ['5', true, false],
    ['2', false, false],
    ['3', false, false],
  ])
  expect((await scene.confirm({ dataSetId, mode: 'manual', providerId: '1' })).replacement).toMatchObject({
    status: 'preparing_target',
    providerId: '1',
  })
})

test('confirm_manual_unavailable: a provider outside of the available ones is refused with 400', async () => {
  await expect(scene.confirm({ mode: 'manual', providerId: '77' })).rejects.toEqual(refusal('replacement_target_unavailable', 400))
})

test('confirm_auto_none: without a provider that the bucket never used there is none', async () => {
  scene.pipeline.world.available = [1, 2].map(availableProvider)
  await expect(scene.confirm()).rejects.toEqual(refusal('replacement_no_eligible_provider', 409))
})

test('providers that cannot be listed are 503, and nothing is recorded', async () => {
  scene.pipeline.providers.listAvailable = () => Promise.reject(new Error('the chain is silent'))
  await expect(scene.confirm()).rejects.toEqual(refusal('replacement_service_unavailable', 503))
  expect(await scene.service.list({ limit: 10 })).toEqual([])
})

test('a data set of another bucket is unknown', async () => {
  await expect(scene.confirm({ bucketId: 2 })).rejects.toEqual(refusal('replacement_data_set_not_found', 404))
  await expect(scene.confirm({ dataSetId: 4711 })).rejects.toEqual(refusal('replacement_data_set_not_found', 404))
})

test('confirm_supersedes_before_takeover: a second confirmation takes the place of the first, whose target is ended', async () => {
  const first = (await scene.confirm()).replacement
  const second = (await scene.confirm()).replacement
  expect(second.providerId).toBe('4')
  expect(await scene.find(first.id)).toMatchObject({ status: 'superseded', phase: 'none', supersededById: second.id })
  const [slot] = await scene.slots.list(scene.rows.database.read, 1)
  expect(slot?.generations.map(({ id, endCause }) => [id, endCause])).toEqual([
    [scene.source.id, null],
    [first.targetId, 'unused'],
    [second.targetId, null],
  ])
})

test('confirm_supersedes_a_failed_one: also a record that failed before its takeover is superseded', async () => {
  const first = (await scene.confirm()).replacement
  await scene.sql(`update replacements set status = 'failed' where id = ?`, first.id)
  await scene.confirm({ mode: 'manual', providerId: '5' })
  expect((await scene.find(first.id)).status).toBe('superseded')
})

test('confirm_old_generation_after_takeover: the old data set is refused', async () => {
  await takeOver((await scene.confirm()).replacement.id)
  await expect(scene.confirm()).rejects.toEqual(refusal('replacement_source_not_current', 409))
  await expect(scene.service.candidates({ bucketId: 1, dataSetId: scene.source.id })).rejects.toEqual(
    refusal('replacement_source_not_current', 409),
  )
})

test('confirm_new_generation_after_takeover: the new data set is refused until the replacement is finished', async () => {
  const { replacement } = await scene.confirm()
  await expect(scene.confirm({ dataSetId: replacement.targetId })).rejects.toEqual(refusal('replacement_active', 409))
  await takeOver(replacement.id)
  await expect(scene.confirm({ dataSetId: replacement.targetId })).rejects.toEqual(refusal('replacement_active', 409))
})

test('confirm_historical_generation: a data set that ended is refused', async () => {
  const { replacement } = await scene.confirm()
  await takeOver(replacement.id)
  await scene.retire(scene.source.id)
  await scene.sql(`update replacements set status = 'completed', phase = 'none' where id = ?`, replacement.id)
  await expect(scene.confirm()).rejects.toEqual(refusal('replacement_source_not_current', 409))
})

test('concurrent_confirms: of several confirmations at once one stays, and each other one is superseded', async () => {
  scene.pipeline.world.available = [1, 2, 3, 4, 5, 6, 7].map(availableProvider)
  const all = await Promise.all(Array.from({ length: 3 }, () => scene.confirm()))
  expect(new Set(all.map(({ replacement }) => replacement.providerId)).size).toBe(3)
  const found = await scene.service.list({ limit: 10 })
  expect(found.map(({ status }) => status)).toEqual(['preparing_target', 'superseded', 'superseded'])
  // The same request twice at once is one record.
  const twice = await Promise.all([1, 2].map(() => scene.confirm({ dataSetId: scene.other.id, clientRequestId: 'twice' })))
  expect(new Set(twice.map(({ replacement }) => replacement.id)).size).toBe(1)
})

test('two replicas of a bucket confirmed at once get different providers', async () => {
  const [a, b] = await Promise.all([scene.confirm(), scene.confirm({ dataSetId: scene.other.id })])
  expect(a.replacement.providerId).not.toBe(b.replacement.providerId)
})

test('a confirmation whose record is refused changes nothing', async () => {
  const refuse = () => Promise.reject(new Error('above the limit'))
  const command = { bucketId: 1, dataSetId: scene.source.id, mode: 'automatic', clientRequestId: 'a', origin: 'repair' } as const
  await expect(scene.service.confirm(command, refuse)).rejects.toThrow('above the limit')
  expect(await scene.service.list({ limit: 10 })).toEqual([])
  expect((await scene.slots.list(scene.rows.database.read, 1))[0]?.generations).toHaveLength(1)
})

test('a data set that is still being created cannot be replaced', async () => {
  await scene.sql(`update data_sets set state = 'creating' where id = ?`, scene.source.id)
  await expect(scene.confirm()).rejects.toEqual(refusal('replacement_source_creating', 409))
})
