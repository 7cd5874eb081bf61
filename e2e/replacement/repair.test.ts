/** Replicas that are repaired without an operator, and losses that are reported. */
import { expect, test } from 'vitest'
import { endServiceOnChain } from '../../devnet/testing/end-service.ts'
import { refreshDataSets } from '../../plugins/observability/api.ts'
import { listRepairs } from '../../plugins/replacement/api.ts'
import { waitForCachedFiles } from '../eviction/cache-state.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import { checkAllCopies } from '../fixtures/check-copies.ts'
import { createAdvancingClock } from '../fixtures/gateways/serve-here.ts'
import { type Stage, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { confirm, look, withReplacements } from './scene.ts'

const minuteMs = 60_000
/** Each scenario has its own network, so that scenarios run in parallel. */
const scenario = (name: string, run: () => Promise<void>) => test.concurrent(name, { timeout: 240_000 }, run)

const repairs = async ({ gateway }: Stage, query = '') =>
  answerOf(listRepairs, await gateway.call('GET', `/api/v1/storage-repairs${query}`))

scenario('dead_data_set_repaired_from_other_copy: a replica whose service was ended moves to another provider by itself', async () => {
  const clock = createAdvancingClock()
  const settings = { 'repair.auto': true, 'chain.observability.interval': '2s', ...withReplacements }
  await using stage = await startStage({ providers: 4, copies: 2, clock, settings })
  const { gateway } = stage
  const objects = [await stage.put(), await stage.put()]
  for (const object of objects) await stage.stored(object)
  const [first] = answerOf(refreshDataSets, await gateway.call('POST', '/api/v1/observability/data-sets/refresh')).items
  if (!first?.facts.chain_data_set_id) throw new Error('the first data set is not on chain')
  expect(await repairs(stage)).toMatchObject({ auto: true, spent_today: '0', repairs: [] })
  const { devnet, privateKey } = stage.network
  await endServiceOnChain(devnet, privateKey, BigInt(first.facts.chain_data_set_id))
  const { repairs: decided, spent_today } = await until('the repair', async () => {
    clock.advance(minuteMs)
    const seen = await repairs(stage)
    return seen.repairs.length > 0 ? seen : undefined
  })
  expect(decided).toMatchObject([
    { action: 'replaced', reason: 'service_ended', signal: 'service_ended', bucket: stageBucket, provider_id: first.facts.provider_id },
  ])
  expect([decided[0]?.fee, BigInt(spent_today) > 0n]).toEqual([spent_today, true])

  // repair_and_manual_replacement_exclusive: after the takeover the old data set cannot be replaced a second time.
  await until('the takeover', async () => ((await look(stage)).replacements[0]?.phase === 'prepare' ? undefined : true))
  await expect(confirm(stage, { dataSetId: decided[0]?.data_set_id })).rejects.toThrow('replacement_source_not_current')

  const done = await until(
    'the old service has ended',
    async () => {
      const seen = await look(stage)
      return seen.replacements.every(({ status }) => status === 'completed') ? seen : undefined
    },
    { withinMs: 120_000 },
  )
  expect(done.replacements).toMatchObject([{ id: decided[0]?.replacement_id, origin: 'repair', progress: { byState: { copied: 2 } } }])
  clock.advance(2 * minuteMs)
  for (const object of objects) {
    const providers = (await stage.stored(object)).copies.map(({ provider_id }) => provider_id)
    expect(providers).toContain(done.replacements[0]?.providerId)
    expect(providers).not.toContain(first.facts.provider_id)
  }
  expect((await repairs(stage)).repairs).toHaveLength(1)
  expect(await stage.settle(objects)).toEqual([])
})

scenario(
  'last_copy_lost_reports_loss: the only copy of an evicted object is denied, and the loss is listed, with repairs off',
  async () => {
    const clock = createAdvancingClock()
    const settings = { 'cache.eviction_policy': 'after_upload' }
    await using stage = await startStage({ providers: 2, copies: 1, clock, settings })
    const object = await stage.put()
    const { pieceCid } = await stage.stored(object)
    await waitForCachedFiles(stage.dir, 0)
    const [provider] = await stage.providers()
    provider?.collectGarbage(pieceCid)
    await checkAllCopies(stage.gateway)
    clock.advance(11 * minuteMs)
    await checkAllCopies(stage.gateway)
    const { auto, repairs: losses } = await until('the loss', async () => {
      clock.advance(5 * minuteMs)
      const seen = await repairs(stage)
      return seen.repairs.length > 0 ? seen : undefined
    })
    expect([auto, losses]).toMatchObject([
      false,
      [{ action: 'loss', reason: 'last_copy_lost', bucket: stageBucket, lost: { contents: 1, versions: 1, bytes: '1000' } }],
    ])
    // I-53: nothing is paid for it, and the copy stays: its provider may come back.
    clock.advance(48 * 60 * minuteMs)
    expect(provider?.counters.addPiecesTransactions).toBe(1)
    expect((await repairs(stage, '?limit=1')).repairs).toHaveLength(1)
  },
)
