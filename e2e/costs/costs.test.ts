/** What storage costs, against the contracts of the devnet: every amount is compared to the last unit. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPayer } from '../../devnet/testing/payer.ts'
import { locationOf, outcome, send } from '../../devnet/testing/provider-calls.ts'
import { readAllPayments, readMoney, sum } from '../../devnet/testing/wallet-money.ts'
import { estimateCost, priceListHeader, showBucketCost, showCost, showReceipt } from '../../plugins/costs/api.ts'
import { newNonce } from '../../plugins/replication/testing/typed-data.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import { startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { createAdvancingClock } from '../fixtures/gateways/serve-here.ts'
import { type Stage, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { startLyingNode } from '../fixtures/lying-node.ts'
import { until } from '../fixtures/until.ts'
import { big, freshCost, monthNow, receiptUpTo, settleAll } from './money.ts'

const scenario = (name: string, run: () => Promise<void>) => test(name, { timeout: 300_000 }, run)

const parts = (cost: Awaited<ReturnType<typeof freshCost>>) => [...cost.buckets, cost.other_buckets, cost.deleted_buckets, cost.foreign]

/** A data set of the same wallet that the service does not know. */
async function createForeign({ network: { devnet, privateKey } }: Stage): Promise<void> {
  const [provider] = devnet.providers
  if (!provider) throw new Error('the devnet has no provider')
  const body = {
    recordKeeper: devnet.contracts.warmStorage,
    extraData: await createPayer(devnet, privateKey).create(newNonce(), provider.address),
  }
  await outcome(await locationOf(provider.url, await send('POST', `${provider.url}/pdp/data-sets`, body)))
}

scenario('costs of buckets, foreign data sets and receipts add up to the account and its payments, to the last unit', async () => {
  await using stage = await startStage({ providers: 2, copies: 2, blockTimeSeconds: 1 })
  const { gateway, network } = stage
  const { devnet, payer } = network
  // The service begins to follow the payments before the first one.
  await freshCost(stage)
  await createForeign(stage)
  const objects = [await stage.put(), await stage.put(), await stage.put(Buffer.alloc(300_000, 7))]
  for (const object of objects) await stage.stored(object)
  await gateway.call('POST', '/api/v1/buckets', { json: { name: 'second', owner_access_key: '__internal_root__', default_copies: 1 } })
  await gateway.call('POST', '/api/v1/buckets/second/objects/upload?key=a', { body: Buffer.alloc(5000, 1) })
  await until(
    'the payments of the second bucket',
    async () => {
      await settleAll(stage)
      const settled = (await readAllPayments(devnet, payer, BigInt(await devnet.chain.epoch()))).filter(({ kind }) => kind === 'storage')
      const rails = (await readMoney(devnet, payer, BigInt(await devnet.chain.epoch()))).rails.filter(({ paymentRate }) => paymentRate > 0n)
      return (rails.length === 3 && settled.length >= 2) || undefined
    },
    { withinMs: 120_000 },
  )

  const cost = await freshCost(stage)
  const chain = await readMoney(devnet, payer, BigInt(cost.epoch ?? 0))
  expect(cost.buckets.map(({ name, data_sets }) => [name, data_sets])).toEqual([
    [stageBucket, 2],
    ['second', 1],
  ])
  expect(cost.foreign.rails).toBe(1)
  expect(big(parts(cost).map(({ rate }) => rate.per_epoch))).toBe(chain.lockupRate)
  expect(chain.lockupRate).toBeGreaterThan(0n)
  expect(big(parts(cost).flatMap(({ locked }) => [locked.reserve, locked.advance]))).toBe(chain.lockupUsage)
  expect(cost.account).toMatchObject({ funds: String(chain.funds), debt: '0', locked: { total: String(chain.owed) } })

  const bucket = answerOf(showBucketCost, await gateway.call('GET', `/api/v1/buckets/${stageBucket}/cost`))
  expect(bucket.data_sets.map(({ rate }) => BigInt(rate.per_epoch)).sort()).toEqual(
    bucket.data_sets.map(({ billed_bytes }) => expectedRate(BigInt(billed_bytes ?? 0), cost)).sort(),
  )
  expect(big(bucket.data_sets.map(({ rate }) => rate.per_epoch))).toBe(BigInt(bucket.rate?.per_epoch ?? 0))

  // Fees by kind are those that the chain took, and those that are pending.
  const receipt = await receiptUpTo(stage, BigInt(cost.epoch ?? 0))
  const paid = await readAllPayments(devnet, payer, BigInt(receipt.to_epoch ?? 0))
  expect(BigInt(receipt.total)).toBe(sum(paid.map(({ amount }) => amount)))
  expect(receipt).toMatchObject({ unattributed: '0', payer: expect.stringMatching(new RegExp(payer, 'i')) })
  for (const kind of ['one_time', 'storage'] as const) {
    const byRail = Map.groupBy(
      paid.filter((payment) => payment.kind === kind),
      ({ railId }) => railId,
    )
    const expected = [...byRail].map(([railId, payments]) => [railId, payments.length, String(sum(payments.map(({ amount }) => amount)))])
    const lines = receipt.lines.filter((line) => line.kind === kind)
    expect(lines.map(({ rail_id, payments, amount }) => [rail_id, payments, amount]).sort()).toEqual(expected.sort())
    expect(expected.length).toBeGreaterThan(0)
  }
  expect(chain.rails).toHaveLength(4)
  const ours = new Set(receipt.lines.filter(({ of }) => of === 'bucket').map(({ rail_id }) => rail_id))
  // 3 objects with 2 copies, and 1 with one.
  const all = await until('the fees of all pieces', async () => {
    const later = await freshCost(stage)
    return later.fees.pieces === String(7n * BigInt(later.prices?.piece ?? 0)) ? later : undefined
  })
  const once = (await readAllPayments(devnet, payer, BigInt(all.epoch ?? 0))).filter(
    ({ railId, kind }) => kind === 'one_time' && ours.has(railId),
  )
  expect(BigInt(all.fees.total) - BigInt(all.fees_pending ?? 0)).toBe(sum(once.map(({ amount }) => amount)))
  expect(all.fees).toMatchObject({ create_data_sets: String(3n * BigInt(all.prices?.create_data_set ?? 0)), calls_without_price: 0 })

  // The CSV has the same amounts, and a bucket has its own.
  const csv = (await gateway.call('GET', `/api/v1/receipts?month=${monthNow()}&format=csv`)).text.trim().split('\r\n')
  expect(big(csv.slice(1).map((line) => line.split(',').at(-1) ?? ''))).toBe(BigInt(receipt.total))
  const ofSecond = answerOf(showReceipt, await gateway.call('GET', `/api/v1/receipts?month=${monthNow()}&bucket=second`))
  expect(new Set(ofSecond.lines.map((line) => line.bucket))).toEqual(new Set(['second']))
})

/** The formula of the contract. */
function expectedRate(bytes: bigint, { prices }: Awaited<ReturnType<typeof freshCost>>): bigint {
  const [storage, fee] = [BigInt(prices?.storage_per_tib_month ?? 0), BigInt(prices?.data_set_month ?? 0)]
  return bytes === 0n ? 0n : (bytes * storage) / (2n ** 40n * 86_400n) + fee / 86_400n
}

const word = (amount: bigint) => amount.toString(16).padStart(64, '0')

scenario('prices that change between the estimate and the action refuse it before anything is written', async () => {
  let isDearer = false
  const createFee = 25n * 10n ** 15n
  await using network = await startFundedDevnet({ providers: 1 })
  await using node = await startLyingNode(network.devnet.rpcUrl, {
    result: ({ method }, result) =>
      isDearer && method === 'eth_call' && typeof result === 'string'
        ? result.replaceAll(word(createFee), word(2n * createFee))
        : undefined,
  })
  const { devnet, privateKey } = network
  await using gateway = await startGatewayHere({
    dir: network.makeDir('gateway'),
    devnet,
    privateKey,
    settings: { 'chain.rpc_url': node.url },
  })
  const ask = async () =>
    answerOf(estimateCost, await gateway.call('POST', '/api/v1/cost/estimate', { json: { kind: 'new_bucket', copies: 1 } }))
  const before = await ask()
  expect(BigInt(before.fee)).toBe(createFee + 8n * 10n ** 15n + 3n * 10n ** 15n)
  const create = (name: string, fingerprint: string) =>
    gateway.call('POST', '/api/v1/buckets', {
      json: { name, owner_access_key: '__internal_root__', default_copies: 1 },
      headers: { [priceListHeader]: fingerprint },
    })
  expect((await create('cheap', before.price_fingerprint)).status).toBe(201)
  isDearer = true
  expect(refusalOf(await create('dear', before.price_fingerprint))).toEqual([409, 'price_list_changed'])
  expect((await gateway.call('GET', '/api/v1/buckets/dear')).status).toBe(404)
  const after = await until('an estimate with the new prices', async () => {
    const answer = await ask()
    return answer.price_fingerprint === before.price_fingerprint ? undefined : answer
  })
  expect(BigInt(after.fee)).toBe(BigInt(before.fee) + createFee)
  expect((await create('dear', after.price_fingerprint)).status).toBe(201)
})

scenario('I-52: new paid work waits at the spend limit without using an attempt, and continues on the next day', async () => {
  const clock = createAdvancingClock()
  // The creation of the data set, and less than one addition.
  await using stage = await startStage({ providers: 1, copies: 1, settings: { 'chain.spend_limit_daily': '0.03' }, clock })
  const { gateway, network } = stage
  const object = await stage.put()
  const waiting = await stage.waits('storage_commit', 'spend_limit')
  expect(waiting.status_message ?? '').toContain('chain.spend_limit_daily is 0.03 USDFC')
  const { limits } = answerOf(showCost, await gateway.call('GET', '/api/v1/cost'))
  expect(limits.daily).toMatchObject({ limit: String(3n * 10n ** 16n), fees: String(25n * 10n ** 15n), is_reached: false })
  await delay(1000)
  expect((await readAllPayments(network.devnet, network.payer, BigInt(await network.devnet.chain.epoch()))).length).toBe(0)
  clock.advance(86_400_000)
  await stage.stored(object)
})
