/** A month with several buckets, removals and ended data sets, and work that waits for the next month. */
import { DeleteBucketCommand, DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { formatTime } from '#kernel'
import { readAllPayments, readMoney, sum } from '../../devnet/testing/wallet-money.ts'
import { showBucketCost, showCost } from '../../plugins/costs/api.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import { createAdvancingClock } from '../fixtures/gateways/serve-here.ts'
import { type Stage, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { big, freshCost, monthNow, receiptUpTo, settleAll } from './money.ts'

const scenario = (name: string, run: () => Promise<void>) => test.concurrent(name, { timeout: 600_000 }, run)

/** A bucket with one copy of one object. Returns the deletion of both. */
async function createStored({ gateway, s3 }: Stage, Bucket: string): Promise<() => Promise<void>> {
  const { accessKeyId } = await s3.config.credentials()
  const made = await gateway.call('POST', '/api/v1/buckets', { json: { name: Bucket, owner_access_key: accessKeyId, default_copies: 1 } })
  expect(made.status).toBe(201)
  const { VersionId } = await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: Buffer.alloc(5000, 1) }))
  await until(
    `the copy in ${Bucket}`,
    async () => {
      const { json } = await gateway.call('GET', `/api/v1/buckets/${Bucket}/objects/provenance?version_id=${VersionId}`)
      return json.copies?.some(({ status }: { readonly status: string }) => status === 'committed') || undefined
    },
    { withinMs: 120_000 },
  )
  return async () => {
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'a', VersionId }))
    await s3.send(new DeleteBucketCommand({ Bucket }))
  }
}

scenario('after removals and an ended data set, JSON and CSV of all and of each bucket add up to the payments on chain', async () => {
  await using stage = await startStage({ providers: 2, copies: 2, blockTimeSeconds: 1, settings: { 'chain.with_cdn': true } })
  const { gateway, network, s3 } = stage
  const { devnet, payer } = network
  await freshCost(stage)
  const [removed, kept] = [await stage.put(), await stage.put()]
  for (const object of [removed, kept]) await stage.stored(object)
  await createStored(stage, 'second')
  const deleteThird = await createStored(stage, 'third')
  // The rails are booked to the bucket while it has its name. CDN retrieval has two rails for each data set, with fixed lockups.
  const cost = await freshCost(stage)
  const chain = await readMoney(devnet, payer, BigInt(cost.epoch ?? 0))
  expect(chain.rails).toHaveLength(12)
  expect(cost).toMatchObject({ foreign: { rails: 0 }, account: { debt: '0', locked: { total: String(chain.owed) } } })
  expect(big(cost.buckets.flatMap(({ locked }) => [locked.reserve, locked.advance]))).toBe(chain.lockupUsage)
  await s3.send(new DeleteObjectCommand({ Bucket: stageBucket, Key: removed.key, VersionId: removed.versionId }))
  await deleteThird()
  await until(
    'the removal and the end are paid and settled',
    async () => {
      await settleAll(stage)
      const { fees } = await freshCost(stage)
      const settled = (await readAllPayments(devnet, payer, BigInt(await devnet.chain.epoch()))).filter(({ kind }) => kind === 'storage')
      return (fees.removals !== '0' && fees.terminations !== '0' && new Set(settled.map(({ railId }) => railId)).size >= 4) || undefined
    },
    { withinMs: 300_000 },
  )

  const receipt = await receiptUpTo(stage, BigInt(await devnet.chain.epoch()))
  const paid = await readAllPayments(devnet, payer, BigInt(receipt.to_epoch ?? 0))
  const paidOf = (kind: string) => String(sum(paid.flatMap((payment) => (payment.kind === kind ? [payment.amount] : []))))
  expect(receipt).toMatchObject({ one_time: paidOf('one_time'), storage: paidOf('storage'), unattributed: '0' })
  expect(new Set(receipt.lines.map(({ of, bucket }) => `${of} ${bucket}`))).toEqual(
    new Set([`bucket ${stageBucket}`, 'bucket second', 'deleted_bucket third']),
  )
  for (const { rail_id, kind, payments, amount } of receipt.lines) {
    const amounts = paid.flatMap((payment) => (payment.railId === rail_id && payment.kind === kind ? [payment.amount] : []))
    expect([payments, amount]).toEqual([amounts.length, String(sum(amounts))])
  }

  // The CSV may have later payments, so it is compared with those of its own time.
  const csvOf = async (query = '') => {
    const { text } = await gateway.call('GET', `/api/v1/receipts?month=${monthNow()}&format=csv${query}`)
    return text.trim().split('\r\n').slice(1)
  }
  const [before, csv, after] = [await receiptUpTo(stage, 0n), await csvOf(), await receiptUpTo(stage, 0n)]
  const total = big(csv.map((line) => line.split(',').at(-1) ?? ''))
  expect(total >= BigInt(before.total) && total <= BigInt(after.total)).toBe(true)
  const second = await csvOf('&bucket=second')
  expect(second.length).toBeGreaterThan(0)
  for (const line of second) expect(line).toContain(',bucket,')
  expect(second.every((line) => line.split(',')[3] === 'second')).toBe(true)
  const bucket = answerOf(showBucketCost, await gateway.call('GET', '/api/v1/buckets/second/cost'))
  expect(big([bucket.paid.one_time, bucket.paid.storage])).toBeGreaterThanOrEqual(big(second.map((line) => line.split(',').at(-1) ?? '')))
})

scenario('I-52: new paid work waits at the monthly limit without using an attempt, and continues in the next month', async () => {
  const clock = createAdvancingClock()
  // The addition and its storage of a month (0.011 and 0.12) fit into the limit, but not together with the creation of the data set (0.025).
  await using stage = await startStage({ providers: 1, copies: 1, settings: { 'chain.spend_limit_monthly': '0.145' }, clock })
  const object = await stage.put()
  const waiting = await stage.waits('storage_commit', 'spend_limit')
  expect(waiting.status_message ?? '').toContain('chain.spend_limit_monthly is 0.145 USDFC')
  const now = new Date(clock.now())
  const nextMonthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
  const { limits } = answerOf(showCost, await stage.gateway.call('GET', '/api/v1/cost'))
  expect(limits.monthly).toMatchObject({ limit: String(145n * 10n ** 15n), resets_at: formatTime(nextMonthMs) })
  // It still waits on another day of the same month.
  if (nextMonthMs - clock.now() > 2 * 86_400_000) {
    clock.advance(86_400_000)
    await stage.waits('storage_commit', 'spend_limit')
  }
  expect(await readAllPayments(stage.network.devnet, stage.network.payer, BigInt(await stage.network.devnet.chain.epoch()))).toEqual([])
  clock.advance(nextMonthMs - clock.now() + 1000)
  await stage.stored(object)
})
