/** What packing saves, from the payments on chain. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readAllPayments, sum } from '../../devnet/testing/wallet-money.ts'
import { listLeaks, showBucketCost } from '../../plugins/costs/api.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/gateways/stage.ts'

/** What the wallet has paid at once so far. */
async function paidAtOnce({ network: { devnet, payer } }: Stage): Promise<bigint> {
  const payments = await readAllPayments(devnet, payer, BigInt(await devnet.chain.epoch()))
  return sum(payments.filter(({ kind }) => kind === 'one_time').map(({ amount }) => amount))
}

test('the fees of small objects, from the payments on chain: packed ones share those of a piece', { timeout: 300_000 }, async () => {
  await using stage = await startStage({
    ...{ providers: 3, copies: 3, blockTimeSeconds: 0.5 },
    settings: { 'packs.default': 'small', 'packs.idle': '2s', 'packs.wait': '60s' },
  })
  const objects = (count: number) => Promise.all(Array.from({ length: count }, () => stage.put(randomBytes(4096))))
  const storeAll = async (put: readonly StoredObject[]) => {
    for (const object of put) await stage.stored(object)
  }
  // Creates the data sets, which is paid once.
  const first = await objects(1)
  const detail = `/api/v1/buckets/${stageBucket}/objects/status-detail?version_id=${first[0]?.versionId}`
  expect((await stage.gateway.call('GET', detail)).json).toMatchObject({
    state: 'cached',
    message: expect.stringMatching(/^waits for its pack, 0 of 256 MiB, at most (1 min|\d+ s)$/),
  })
  await storeAll(first)
  const before = await paidAtOnce(stage)
  await storeAll(await objects(300))
  const packed = await paidAtOnce(stage)
  await stage.gateway.call('PUT', '/api/v1/packs/policy', { json: { bucket: stageBucket, packing: 'off' } })
  await storeAll(await objects(20))
  const alone = await paidAtOnce(stage)
  const pieces = stage.network.devnet.addPiecesTransactions().flatMap(({ pieceCids }) => pieceCids)
  expect(new Set(pieces).size).toBeLessThanOrEqual(1 + 2 + 20)
  const [ofPacked, ofAlone] = [(packed - before) / 300n, (alone - packed) / 20n]
  expect([ofPacked > 0n, ofAlone > 0n]).toEqual([true, true])
  // 300 objects share two packs at most; a full one has 8192.
  expect(ofAlone / ofPacked).toBeGreaterThan(30n)
  const { buckets } = answerOf(listLeaks, await stage.gateway.call('GET', '/api/v1/cost/leaks'))
  expect(buckets).toMatchObject([
    { bucket: stageBucket, saving: { how: 'packing', objects: 20, command: `svc admin pack policy ${stageBucket} small` } },
  ])
  // 20 single objects could have been one pack: its fees are a twentieth or less of theirs.
  const saved = BigInt(buckets[0]?.saving?.saved ?? 0)
  expect([saved > 0n, saved < alone - packed, BigInt(buckets[0]?.fees ?? 0) > alone - packed]).toEqual([true, true, true])
  await stage.gateway.call('POST', '/api/v1/cost/refresh')
  const cost = answerOf(showBucketCost, await stage.gateway.call('GET', `/api/v1/buckets/${stageBucket}/cost`))
  // What 300 objects would have cost more, by the prices of the chain.
  expect(BigInt(cost.fees_saved ?? 0) / 300n).toBeGreaterThan(ofPacked * 30n)
})
