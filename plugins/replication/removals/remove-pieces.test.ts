import { expect, test } from 'vitest'
import { allRows, runSql } from '#kernel/testing'
import { openRemovalScene as openScene, removalTxHash as txHash } from '../testing/removal-scene.ts'
import { endRemovals } from './end-removals.ts'
import { startedRemovals } from './removal-store.ts'

const hourMs = 3_600_000

test('a removal is requested, queued on chain, and removed; the content row is deleted', async () => {
  await using removal = await openScene(2)
  const { scene, storage, run, count } = removal
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(scene.requests).toEqual([[0n, 1n]])
  expect(await count()).toEqual({ submitted: 2 })
  await storage.expectSound()
  scene.queued = new Set([0n, 1n])
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'proving_period' })
  expect(await count()).toEqual({ scheduled: 2 })
  scene.queued = new Set()
  scene.states = new Map([
    [0n, 'gone'],
    [1n, 'gone'],
  ])
  expect(await run()).toEqual({ kind: 'done' })
  expect(await count()).toEqual({ removed: 2 })
  expect(await allRows(storage.database.read, 'select id from contents')).toEqual([])
  expect(scene.requests).toHaveLength(1)
  await storage.expectSound()
})

test('with a limit of the provider, a request takes 35 pieces, and the next one waits until its outcome is known and the queue has space', async () => {
  await using removal = await openScene(40)
  const { scene, run, count } = removal
  await removal.limitTo(35)
  await run()
  await run()
  expect(scene.requests.map((ids) => ids.length)).toEqual([35])
  scene.queued = new Set(scene.requests[0])
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'proving_period' })
  expect(scene.requests).toHaveLength(1)
  scene.states = new Map([...scene.queued].map((id) => [id, 'gone']))
  scene.queued = new Set()
  await run()
  expect(scene.requests.map((ids) => ids.length)).toEqual([35, 5])
  expect(await count()).toEqual({ removed: 35, submitted: 5 })
})

test('a provider that accepted 35 removals is asked for all others', async () => {
  await using removal = await openScene(80)
  const { scene, run } = removal
  await run()
  scene.queued = new Set(scene.requests[0])
  await run()
  expect(scene.requests.map((ids) => ids.length)).toEqual([35, 45])
  const prices = await allRows(removal.storage.database.read, 'select price_list from removal_attempts')
  expect(prices).toEqual([{ price_list: 'today' }, { price_list: 'today' }])
})

test.each([
  ['with its limit', { reason: 'invalid', status: 400, detail: 'piece count (45) exceeds the maximum allowed per DeletePiece call (35)' }],
  ['because its queue is full', { reason: 'throttled', retryAfterMs: 60_000, detail: 'Data set has 35 pending piece deletions' }],
] as const)('I-08: a provider that refuses a larger removal %s gets 35 at a time', async (_name, cause) => {
  await using removal = await openScene(80)
  const { scene, run, count } = removal
  await run()
  scene.queued = new Set(scene.requests[0])
  const accepted = scene.answer
  scene.answer = { kind: 'not_sent', cause }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'retry' })
  scene.answer = accepted
  // The queue is full for this provider.
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'proving_period' })
  scene.states = new Map([...scene.queued].map((id) => [id, 'gone']))
  scene.queued = new Set()
  await run()
  expect(scene.requests.map((ids) => ids.length)).toEqual([35, 45, 35])
  expect(await count()).toEqual({ removed: 35, submitted: 35, pending: 10 })
})

test('I-08: a provider that does not answer gets no removal request before its probe', async () => {
  await using removal = await openScene(1)
  const { scene, clock, deps, run } = removal
  for (let call = 0; call < 3; call++) {
    using turn = deps.providers.turns.take('http://provider', 'removal')
    turn.record({ kind: 'uncertain', cause: { reason: 'timeout', detail: 'late' } })
  }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'provider', untilMs: clock.now() + 30_000 })
  expect(scene.requests).toEqual([])
  await clock.advance(30_000)
  await run()
  expect(scene.requests).toHaveLength(1)
})

test('I-32: a removal holds its slot at the provider until it is answered', async () => {
  await using removal = await openScene(1)
  const { scene, deps, run } = removal
  const { turns, client } = deps.providers
  const taken: (string | undefined)[] = []
  const take = () => {
    using turn = turns.take('http://provider', 'removal')
    taken.push(turn.refusal?.reason)
  }
  const { deletePieces } = client('http://provider')
  const watched = {
    ...client('http://provider'),
    deletePieces: async (call: Parameters<typeof deletePieces>[0]) => {
      take()
      return deletePieces(call)
    },
  }
  Object.assign(deps.providers, { client: () => watched })
  await run()
  take()
  expect(taken).toEqual(['provider_busy', undefined])
  expect(scene.requests).toHaveLength(1)
})

test('pieces already removed or queued are not requested', async () => {
  await using removal = await openScene(3)
  const { scene, run, count } = removal
  scene.states = new Map([[0n, 'gone']])
  scene.queued = new Set([1n])
  await run()
  expect(scene.requests).toEqual([[2n]])
  expect(await count()).toEqual({ removed: 1, scheduled: 1, submitted: 1 })
})

test('I-08: removal_429_waits: the task waits for a full queue at the provider and for missing funds', async () => {
  await using removal = await openScene(1)
  const { scene, run, count } = removal
  scene.answer = { kind: 'not_sent', cause: { reason: 'throttled', retryAfterMs: 77_000, detail: '' } }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'provider_busy', untilMs: removal.clock.now() + 77_000 })
  const revert = { contract: 'pay', errorName: 'InsufficientUnlockedFunds', selector: undefined, args: [] } as const
  scene.answer = { kind: 'not_sent', cause: { reason: 'reverted', revert, detail: '' } }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'funding' })
  expect(await count()).toEqual({ pending: 1 })
})

test('I-08: the task waits for a chain node that does not answer and uses no attempt', async () => {
  await using removal = await openScene(1)
  const { scene, clock, run, count } = removal
  scene.liveness = Object.assign(new Error('Could not read getDataSet'), { code: 'chain_unreachable' })
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'chain' })
  scene.liveness = { live: true }
  await clock.advance(hourMs)
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(await count()).toEqual({ submitted: 1 })
})

test('a refusal counts as an attempt of the task, and the removal may be requested again', async () => {
  await using removal = await openScene(1)
  const { scene, run, count } = removal
  scene.answer = { kind: 'not_sent', cause: { reason: 'invalid', status: 400, detail: 'no' } }
  await expect(run()).rejects.toMatchObject({ code: 'provider_invalid' })
  expect(await count()).toEqual({ pending: 1 })
})

test('I-08: while a refused data set is paused, deletions cause no further request', async () => {
  await using removal = await openScene(1)
  const { scene, clock, run } = removal
  scene.answer = { kind: 'not_sent', cause: { reason: 'data_set_gone', status: 404, detail: 'unknown' } }
  const refused = await run()
  if (refused.kind !== 'wait') throw new Error(`the round ended with ${refused.kind}`)
  expect(refused.untilMs).toBeGreaterThan(clock.now())
  expect(await run(2)).toEqual(refused)
  expect(scene.requests).toHaveLength(1)
  await clock.advance(refused.untilMs - clock.now())
  scene.answer = { kind: 'ok', value: { txHash } }
  expect(await run(2)).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(scene.requests).toHaveLength(2)
})

test('I-05: after a lost answer nothing is sent until every transaction that the request may have caused is final', async () => {
  await using removal = await openScene(1)
  const { scene, clock, run, count } = removal
  scene.answer = { kind: 'uncertain', cause: { reason: 'timeout', detail: 'no answer' } }
  scene.sender = { pooled: 6, final: 5 }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(await count()).toEqual({ uncertain: 1 })
  await clock.advance(hourMs)
  await run()
  await run()
  expect(scene.requests).toHaveLength(1)
  scene.sender = { pooled: 6, final: 6 }
  scene.answer = { kind: 'ok', value: { txHash } }
  await run()
  expect(scene.requests).toEqual([[0n], [0n]])
  expect(await count()).toEqual({ submitted: 1 })
})

test('a final transaction that queued no removal fails the attempt', async () => {
  await using removal = await openScene(1)
  const { clock, run, count } = removal
  await run()
  await clock.advance(hourMs)
  await run()
  await expect(run()).rejects.toMatchObject({ code: 'removal_reverted' })
  expect(await count()).toEqual({ pending: 1 })
})

test('removal_24h_recover: the task fails after 24 hours without a confirmation; only its own retry checks and requests again', async () => {
  await using removal = await openScene(1)
  const { scene, clock, run, count } = removal
  scene.sender = { pooled: 6, final: 5 }
  await run(1)
  await clock.advance(hourMs)
  await run(1)
  await clock.advance(24 * hourMs)
  expect(await run(1)).toMatchObject({ kind: 'fail', code: 'removal_unconfirmed', retryable: true })
  // The task of another deletion leaves it alone.
  expect(await run(2)).toEqual({ kind: 'done' })
  expect(scene.requests).toHaveLength(1)
  expect(await run(1)).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(scene.requests).toHaveLength(2)
  expect(await count()).toEqual({ submitted: 1 })
})

test('a removal that waits for an operator does not delay the others', async () => {
  await using removal = await openScene(36)
  const { scene, clock, run } = removal
  scene.contracts = { fwss: '1.3.1', pdpVerifier: '3.4.0' }
  scene.sender = { pooled: 6, final: 5 }
  await run(1)
  await clock.advance(hourMs)
  await run(1)
  await clock.advance(24 * hourMs)
  expect(await run(1)).toMatchObject({ kind: 'fail' })
  // 35 may still be queued by the first request.
  expect(await run(2)).toMatchObject({ kind: 'wait', reason: 'proving_period' })
  expect(scene.requests).toHaveLength(1)
  scene.states = new Map([[0n, 'gone']])
  await run(2)
  expect(scene.requests.map((ids) => ids.length)).toEqual([35, 1])
})

test.each(['queued', 'gone'] as const)('removal_24h_recover: a retry after 24 hours sends nothing when the piece is %s', async (found) => {
  await using removal = await openScene(1)
  const { scene, clock, run } = removal
  scene.sender = { pooled: 6, final: 5 }
  await run()
  await clock.advance(hourMs)
  await run()
  await clock.advance(24 * hourMs)
  expect(await run()).toMatchObject({ kind: 'fail' })
  if (found === 'queued') scene.queued = new Set([0n])
  else scene.states = new Map([[0n, 'gone']])
  expect(await run()).toMatchObject(found === 'queued' ? { kind: 'wait', reason: 'proving_period' } : { kind: 'done' })
  expect(scene.requests).toHaveLength(1)
})

test('while the data set is not active the task keeps checking and sends no request', async () => {
  await using removal = await openScene(1)
  const { scene, run, count, storage } = removal
  scene.liveness = { live: false, reason: 'deleted' }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'data_set' })
  scene.liveness = { live: false, reason: 'terminated', endEpoch: 9n }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'proving_period' })
  expect(scene.requests).toEqual([])
  expect(await count()).toEqual({ pending: 1 })
  await storage.database.write((tx) => runSql(tx, `update data_sets set state = 'retired'`))
  expect(await run()).toEqual({ kind: 'done' })
  expect(await count()).toEqual({ data_set_ended: 1 })
  await storage.expectSound()
})

test('removals of a lost data set end with it, and do not change a copy that reuses the id of theirs', async () => {
  await using removal = await openScene(1)
  const { storage, run, count } = removal
  const { database } = storage
  await run()
  const [requested] = await startedRemovals(database.read, 1)
  if (!requested) throw new Error('no removal was requested')
  await database.write(async (tx) => {
    await runSql(tx, `update data_sets set state = 'lost' where id = 1`)
    await storage.states.dataSets.loseCommitted(tx, 1)
    await storage.states.copies.recount(tx, [requested.contentId])
  })
  expect(await count()).toEqual({ data_set_ended: 1 })
  expect(await allRows(database.read, 'select id from contents')).toEqual([])
  expect(await run()).toEqual({ kind: 'done' })
  const other = await storage.put('other', 'other')
  // SQLite gives the new copy the id of the lost one, PostgreSQL does not.
  const copyId = await storage.placeCopy(other, { dataSetId: 2, state: 'committed', pieceId: 0 })
  // A run may have read the removal before the data set was lost.
  await endRemovals(removal.deps, [{ ...requested, copyId }], 'removed')
  expect(await allRows(database.read, 'select state from copies')).toEqual([{ state: 'committed' }])
  await storage.expectSound()
})
