import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '#kernel/testing'
import { costMigrations } from '../migrations.ts'
import { created, deposit, type FakeMoney, fakeChain, newMoney, paidOnce, settled, signer } from '../testing/fake-chain.ts'
import { toCsv } from './describe-receipt-policy.ts'
import { followPayments } from './follow-payments.ts'
import { readReceipt } from './read-receipt.ts'

const wallet = `7-${signer.address}`
const november = '2026-11'

async function open(startMs = Date.UTC(2026, 10, 25)) {
  const database = await openTestDatabase([{ name: 'costs', migrations: costMigrations }])
  onTestFinished(() => database[Symbol.asyncDispose]())
  const money = newMoney(startMs)
  const deps = { database, chain: fakeChain(money), signer }
  /** Lets final epochs pass and follows their payments. */
  const reach = async (epoch: bigint) => {
    money.epoch = epoch
    return followPayments(deps)
  }
  const receipt = (month = november) =>
    readReceipt(database, {
      filter: { wallet, month, bucketId: undefined },
      payer: signer.address,
      bucket: undefined,
      after: undefined,
      limit: 100,
    })
  await reach(10n)
  return { database, money, deps, reach, receipt }
}

const lost = (money: FakeMoney, epoch: bigint, amount: bigint) => money.silent.push({ epoch, amount })

test('payments are summed by rail and kind, and what no log explains has a line of its own, so that the sum is what the account paid', async () => {
  const { money, reach, receipt } = await open()
  money.logs.push(created(3n, 11n), paidOnce(3n, 12n, 25n), paidOnce(3n, 13n, 11n), settled(3n, 14n, 7n), deposit(15n, 500n))
  lost(money, 16n, 4n)
  expect(await reach(20n)).toBe(true)
  money.logs.push(settled(3n, 25n, 9n))
  await reach(30n)
  const { lines, total, unattributed, is_complete } = await receipt()
  expect(lines).toEqual([
    { of: 'unattributed', kind: 'unknown', payments: 1, amount: '4' },
    { of: 'foreign', rail_id: '3', kind: 'one_time', payments: 2, amount: '36' },
    { of: 'foreign', rail_id: '3', kind: 'storage', payments: 2, amount: '16' },
  ])
  expect({ total, unattributed, is_complete }).toEqual({ total: '56', unattributed: '4', is_complete: false })
})

test('runs at the same time, and again after a crash, count each payment once', async () => {
  const { money, deps, receipt } = await open()
  money.logs.push(created(3n, 11n), settled(3n, 14n, 7n))
  money.epoch = 20n
  await Promise.all([followPayments(deps), followPayments(deps), followPayments(deps)])
  await followPayments(deps)
  expect((await receipt()).total).toBe('7')
})

test('at the end of a month the payments of its last and of the next first epoch are on their own receipts', async () => {
  // Epoch 100 begins on 1 December.
  const { money, reach, receipt } = await open(Date.UTC(2026, 11, 1) - 100 * 30_000)
  money.logs.push(created(3n, 11n), settled(3n, 99n, 7n), settled(3n, 100n, 9n))
  await reach(5000n)
  expect([(await receipt()).total, (await receipt('2026-12')).total]).toEqual(['7', '9'])
  expect(await receipt()).toMatchObject({ from_epoch: '11', to_epoch: '99', is_complete: false })
  expect(await receipt('2026-12')).toMatchObject({ from_epoch: '100', is_complete: false })
  // A month that was followed from its first epoch to the next month is complete.
  while (!(await reach(100n + 31n * 2880n + 5n))) expect((await receipt('2026-12')).is_complete).toBe(false)
  expect(await receipt('2026-12')).toMatchObject({ total: '9', is_complete: true })
})

test('epochs without logs make their month incomplete, and the money that was lost in them is not attributed', async () => {
  const { money, reach, receipt } = await open()
  money.logs.push(created(3n, 11n), settled(3n, 14n, 7n))
  money.logsFrom = 3000n
  await expect(reach(1500n)).rejects.toMatchObject({ code: 'chain_unreachable' })
  money.logs.push(settled(3n, 4900n, 2n))
  await reach(5000n)
  expect(await receipt()).toMatchObject({ is_complete: false, unattributed: expect.stringMatching(/^[79]$/) })
  expect((await receipt()).total).toBe('9')
})

test('the CSV has the lines of the receipt', async () => {
  const { money, reach, receipt } = await open()
  money.logs.push(created(3n, 11n), settled(3n, 14n, 7n))
  await reach(20n)
  expect(toCsv(await receipt())).toBe(
    'month,of,bucket_id,bucket,provider_id,data_set_id,rail_id,kind,payments,amount\r\n2026-11,foreign,,,,,3,storage,1,7\r\n',
  )
})
