import { expect, test } from 'vitest'
import { allRows, getRow, runSql } from '#kernel/testing'
import { planDataSet } from '../datasets/data-set-store.ts'
import { requestEnd } from '../datasets/end-request-store.ts'
import { openEndingScene } from '../testing/ending-scene.ts'
import { rowStates } from '../testing/storage-rows.ts'

const hourMs = 3_600_000
const plan = { providerId: '9', providerAddress: '0x9', payee: '0x9', serviceUrl: 'http://p', clientDataSetId: 99n, pieceBytesMax: 1000 }

test('I-36: the data sets of a deleted bucket end once, and then its rows are deleted', async () => {
  await using ending = await openEndingScene()
  const { scene, storage, run, count } = ending
  await storage.buckets.delete('photos')
  expect(storage.ends).toEqual([1])
  await ending.expectSound()
  expect(await ending.runUntil('finality')).toMatchObject({ kind: 'wait', reason: 'finality' })
  expect(await ending.state()).toEqual({ dataSet: 'retiring', ending: 'ended', path: 'relay' })
  expect(await ending.runUntil()).toEqual({ kind: 'done' })
  expect([scene.relayed.length, scene.paid.length, scene.terminations]).toEqual([1, 0, 1])
  for (const table of [
    'data_sets',
    'data_set_endings',
    'data_set_totals',
    'replica_slots',
    'commit_batches',
    'removals',
    'buckets',
    'contents',
  ])
    expect([table, await count(table)]).toEqual([table, 0])
  // The task of an id that is used again ends nothing.
  expect(await run()).toEqual({ kind: 'done' })
  await ending.expectSound()
})

test('a bucket that is not deleted keeps its data sets', async () => {
  await using ending = await openEndingScene()
  expect(await ending.run()).toEqual({ kind: 'done' })
  expect([ending.scene.relayed, await ending.count('data_sets')]).toEqual([[], 1])
})

test('the service ends after the removal of its pieces, or a day later together with them', async () => {
  await using ending = await openEndingScene({ copies: 1 })
  const { scene, storage, clock, run, scheduled } = ending
  await storage.buckets.delete('photos')
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'removal' })
  await clock.advance(23 * hourMs)
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'removal' })
  expect(scene.relayed).toEqual([])
  await clock.advance(hourMs)
  await ending.runUntil('finality')
  expect(scene.relayed).toHaveLength(1)
  await clock.advance(hourMs)
  scene.head += 100n
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'removal' })
  // These tasks close the removals and copies of the retired data set.
  expect(scheduled).toEqual(['cleanup 1', 'commit 1'])
  await ending.removePieces()
  expect(await ending.runUntil()).toEqual({ kind: 'done' })
  expect(await ending.count('buckets')).toBe(0)
})

test.each(['answer lost', 'killed'] as const)('I-05: a request with the outcome "%s" is looked up and not sent again', async (what) => {
  await using ending = await openEndingScene()
  const { scene, storage, run } = ending
  await storage.buckets.delete('photos')
  if (what === 'killed') scene.isKilled = true
  else scene.relay = 'answer lost'
  await run()
  if (what === 'killed') await expect(run()).rejects.toThrow('killed')
  else expect(await run()).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  scene.isKilled = false
  expect(
    await getRow(storage.database.read, 'select extra_data is not null as "isSigned", price_list from data_set_endings'),
  ).toMatchObject({
    isSigned: expect.toSatisfy(Boolean),
    price_list: 'today',
  })
  expect(await ending.runUntil()).toEqual({ kind: 'done' })
  expect([scene.relayed.length, scene.paid.length]).toEqual([1, 0])
})

test('a request that never arrived is sent again only when no transaction of the provider is open, and with the same bytes', async () => {
  await using ending = await openEndingScene()
  const { scene, storage, clock, run } = ending
  await storage.buckets.delete('photos')
  await run()
  scene.isKilled = true
  scene.relay = 'drops'
  await expect(run()).rejects.toThrow('killed')
  scene.isKilled = false
  scene.sender = { pooled: 7, final: 5 }
  await clock.advance(hourMs)
  for (let n = 0; n < 4; n++) expect(await run()).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(scene.relayed).toHaveLength(1)
  scene.relay = 'sends'
  scene.sender = { pooled: 7, final: 7 }
  expect(await ending.runUntil()).toEqual({ kind: 'done' })
  expect([new Set(scene.relayed).size, scene.relayed.length, scene.terminations]).toEqual([1, 2, 1])
})

test('a request is signed again when a reorganisation took the id of the data set', async () => {
  await using ending = await openEndingScene()
  const { scene, storage, run } = ending
  const { database } = storage
  await storage.buckets.delete('photos')
  await run()
  await database.write(async (tx) => {
    await runSql(tx, "update data_set_endings set extra_data = '0x01d'")
    const { chainId } = (await getRow<{ chainId: string }>(tx, 'select chain_id as "chainId" from data_sets')) ?? { chainId: '' }
    const why = { chainId: BigInt(chainId), message: 'reorganised' }
    expect(await ending.deps.states.dataSets.apply(tx, 'creation_rolled_back', 1, why)).toBe(true)
    await runSql(tx, "update data_sets set state = 'retiring', chain_id = '77'")
  })
  await ending.runUntil('finality')
  expect(scene.relayed).toEqual([expect.not.stringMatching('0x01d')])
})

test.each(['unsupported', 'drops'] as const)('when the provider does not send it (%s), the wallet ends the service', async (relay) => {
  await using ending = await openEndingScene()
  const { scene, storage } = ending
  scene.relay = relay
  await storage.buckets.delete('photos')
  await ending.runUntil('finality')
  expect(await ending.state()).toEqual({ dataSet: 'retiring', ending: 'ended', path: 'payer' })
  expect(scene.paid).toHaveLength(1)
  // The service is paid until the end of the lockup period; there is nothing left to do.
  const looks = scene.followed.length
  expect(await ending.runUntil()).toEqual({ kind: 'done' })
  expect(await ending.count('buckets')).toBe(0)
  // The operation of the wallet gets its outcome before the rows go.
  expect(scene.followed.slice(looks)).toEqual(scene.paid)
})

test.each(['unreachable', 'lies', 'busy'] as const)(
  'I-08: a provider (%s) is given a day without failures, then the wallet ends the service',
  async (relay) => {
    await using ending = await openEndingScene()
    const { scene, storage, clock } = ending
    const beginMs = clock.now()
    scene.relay = relay
    await storage.buckets.delete('photos')
    await ending.runUntil('finality')
    expect(scene.paid).toHaveLength(1)
    expect(clock.now() - beginMs).toBeGreaterThan(24 * hourMs)
    expect(clock.now() - beginMs).toBeLessThan(50 * hourMs)
  },
)

test('an account in debt waits for the operator with the missing amount, and neither path is tried', async () => {
  await using ending = await openEndingScene()
  const { scene, storage, clock, run } = ending
  scene.verdict = { isCovered: false, because: 'deposit', message: 'the payment account lacks 3 USDFC; run `svc wallet deposit`' }
  await storage.buckets.delete('photos')
  await run()
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'payment_debt', message: expect.stringContaining('lacks 3 USDFC') })
  await clock.advance(48 * hourMs)
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'payment_debt' })
  scene.verdict = { isCovered: true }
  expect(await ending.runUntil()).toEqual({ kind: 'done' })
  // The long wait was not the provider's: it is asked first.
  expect([scene.relayed.length, scene.paid.length]).toEqual([1, 0])
})

test('I-08: the task waits for a chain node that does not answer', async () => {
  await using ending = await openEndingScene()
  const { scene, storage, run } = ending
  await storage.buckets.delete('photos')
  await run()
  scene.isUnreachable = true
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'chain' })
  expect(scene.relayed).toEqual([])
})

test('a data set is retired only when its end is final, and an end that a reorganisation removed is requested again', async () => {
  await using ending = await openEndingScene()
  const { scene, storage, run, clock } = ending
  await storage.buckets.delete('photos')
  await ending.runUntil('finality')
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'finality' })
  expect(await ending.state()).toMatchObject({ dataSet: 'retiring' })
  Object.assign(scene, { endEpoch: undefined, endedIn: undefined, isKnown: false })
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(await ending.state()).toMatchObject({ ending: 'uncertain' })
  await clock.advance(hourMs)
  expect(await ending.runUntil()).toEqual({ kind: 'done' })
  expect(scene.relayed).toHaveLength(2)
})

test('according to a single chain node a data set is retired some epochs after the finality of its end', async () => {
  await using ending = await openEndingScene({ unconfirmedEpochs: 50 })
  const { scene, storage, run } = ending
  await storage.buckets.delete('photos')
  await ending.runUntil('finality')
  scene.head += 20n
  expect(await run()).toMatchObject({
    kind: 'wait',
    reason: 'finality',
    message: expect.stringContaining('chain.rpc_urls names no other node'),
  })
  expect(await ending.state()).toMatchObject({ dataSet: 'retiring' })
  scene.head += 50n
  expect(await run()).toEqual({ kind: 'done' })
  expect(await ending.count('data_sets')).toBe(0)
})

test('a service that ended by itself costs no request; a missing data set is retired only when its absence is final', async () => {
  await using ending = await openEndingScene({ state: 'write_blocked' })
  const { scene, storage, run } = ending
  scene.isOnChain = false
  await storage.database.write((tx) => runSql(tx, 'update data_sets set final_at = null'))
  await storage.buckets.delete('photos')
  await run()
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'data_set' })
  await storage.database.write((tx) => runSql(tx, 'update data_sets set final_at = 1'))
  expect(await ending.runUntil()).toEqual({ kind: 'done' })
  expect([scene.relayed, scene.paid]).toEqual([[], []])
})

test.each([
  ['fee', 'the fee is above chain.spending.max_fee_per_gas_nanofil'],
  ['wallet', 'nonce 3 pays less than the base fee; raise chain.spending.max_fee_per_gas_nanofil'],
] as const)('I-33: an operation that cannot land now (%s) waits with the limit to raise, and uses no attempt', async (reason, message) => {
  await using ending = await openEndingScene()
  const { scene, storage } = ending
  scene.relay = 'unsupported'
  scene.outcome = { kind: 'open', reason, message }
  await storage.buckets.delete('photos')
  expect(await ending.runUntil(reason)).toMatchObject({ kind: 'wait', message: expect.stringContaining('max_fee_per_gas_nanofil') })
  expect(await ending.run()).toMatchObject({ kind: 'wait', reason })
  scene.outcome = undefined
  expect(await ending.runUntil()).toEqual({ kind: 'done' })
  expect([scene.requested.length, scene.terminations]).toEqual([1, 1])
})

test('a failed transaction of the wallet fails the attempt of the task; the next one has another id', async () => {
  await using ending = await openEndingScene()
  const { scene, storage, run } = ending
  scene.relay = 'unsupported'
  await storage.buckets.delete('photos')
  await ending.runUntil('confirmation')
  scene.isKilled = true
  await run().catch(() => undefined)
  Object.assign(scene, { isKilled: false, endEpoch: undefined, endedIn: undefined })
  scene.outcome = { kind: 'failed', code: 'wallet_operation_failed', isSent: true, message: 'transaction 0x1 was reverted' }
  await expect(run()).rejects.toMatchObject({ code: 'termination_failed', message: expect.stringContaining('was reverted') })
  scene.outcome = undefined
  expect(await ending.runUntil()).toEqual({ kind: 'done' })
  expect(new Set(scene.requested).size).toBe(2)
})

test('a data set that was only planned is abandoned without a request, and none is planned or created for a deleted bucket', async () => {
  await using ending = await openEndingScene()
  const { scene, storage } = ending
  const { database } = storage
  const { id: bucketId } = storage.buckets.require('photos')
  const planned = await database.write((tx) => planDataSet(rowStates(0), tx, { ...plan, bucketId, slot: 3 }))
  await storage.buckets.delete('photos')
  expect(storage.ends).toEqual([1, planned])
  const record = database.write((tx) => storage.states.dataSets.apply(tx, 'creation_recorded', planned as number, { extraData: '0x' }))
  expect(await record).toBe(false)
  expect(await database.write((tx) => planDataSet(rowStates(0), tx, { ...plan, providerId: '8', bucketId, slot: 4 }))).toBeUndefined()
  await ending.runUntil()
  expect(await ending.count('buckets')).toBe(1)
  expect(await ending.run(planned as number)).toEqual({ kind: 'done' })
  expect(await allRows(database.read, 'select id from buckets')).toEqual([])
  expect(scene.relayed).toHaveLength(1)
})

test('a creation whose outcome is open is followed before the data set ends', async () => {
  await using ending = await openEndingScene({ state: 'creating' })
  await ending.storage.buckets.delete('photos')
  expect(await ending.run()).toMatchObject({ kind: 'wait', reason: 'target_creating' })
  expect(ending.scene.relayed).toEqual([])
})

test('a stop before the wallet signed its transaction costs no attempt of the task', async () => {
  await using ending = await openEndingScene()
  const { scene, storage, run } = ending
  scene.relay = 'unsupported'
  await storage.buckets.delete('photos')
  await ending.runUntil('confirmation')
  await storage.database.write((tx) => runSql(tx, "update data_set_endings set state = 'submitting', attempts = 1"))
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'wallet' })
  expect(await ending.runUntil()).toEqual({ kind: 'done' })
  expect(scene.paid).toHaveLength(1)
})

test('I-48: a replaced data set ends when final copies of its contents are on its successor; its rows and the bucket are kept', async () => {
  await using ending = await openEndingScene({ copies: 1 })
  const { scene, storage, run } = ending
  const { database } = storage
  // Ids of the deleted copy are used again.
  await database.write((tx) => runSql(tx, "update commit_batches set nonce = 'deleted'"))
  const version = await storage.put('live', 'other bytes')
  await storage.placeCopy(version, { dataSetId: 1, state: 'committed', pieceId: 8 })
  await database.write(async (tx) => {
    await runSql(
      tx,
      `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, chain_id, state, created_at, updated_at)
       select 2, bucket_id, slot, 2, '2', '0x', '0x', 'http://provider-2', '2', '2', 'ready', 0, 0 from data_sets`,
    )
    await runSql(tx, 'update replica_slots set current_data_set_id = 2')
    await runSql(tx, "update data_sets set state = 'write_blocked' where id = 1")
    await requestEnd(tx, { dataSetId: 1, cause: 'replaced', nowMs: 0 })
  })
  for (let n = 0; n < 2; n++) expect(await run()).toMatchObject({ kind: 'wait', reason: 'retirement' })
  expect([scene.relayed, (await ending.state())?.dataSet]).toEqual([[], 'write_blocked'])
  await storage.placeCopy(version, { dataSetId: 2, state: 'committed', pieceId: 3 })
  await database.write((tx) => runSql(tx, 'update copies set slot = 1 where data_set_id = 2'))
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'removal' })
  expect((await ending.state())?.dataSet).toBe('retiring')
  // The successor is checked again before the request.
  await database.write((tx) => runSql(tx, "update data_sets set state = 'lost' where id = 2"))
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'retirement' })
  expect(scene.relayed).toEqual([])
  await database.write((tx) => runSql(tx, "update data_sets set state = 'ready' where id = 2"))
  expect(await ending.runUntil()).toEqual({ kind: 'done' })
  expect([scene.relayed.length, scene.terminations, await ending.state()]).toEqual([
    1,
    1,
    { dataSet: 'retired', ending: 'closed', path: 'relay' },
  ])
  expect(
    await allRows(
      database.read,
      'select data_set_id as "dataSetId", state from copies where content_id = ? order by data_set_id',
      version.contentId,
    ),
  ).toEqual([
    { dataSetId: 1, state: 'removed' },
    { dataSetId: 2, state: 'committed' },
  ])
  // It closes the removals of deleted contents.
  expect(ending.scheduled).toContain('cleanup 1')
  await ending.expectSound()
  // The later deletion of the bucket forgets both.
  await storage.versions.delete({ bucket: 'photos', key: 'live', versionId: version.versionId })
  await storage.buckets.delete('photos')
  expect(storage.ends).toEqual([1, 2])
})
