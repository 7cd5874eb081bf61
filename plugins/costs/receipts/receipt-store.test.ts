import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeOnEngines, openTestDatabase, runSql, type TestDatabase } from '#kernel/testing'
import { costMigrations } from '../migrations.ts'
import { streamCsv } from './describe-receipt-policy.ts'
import { readReceipt } from './read-receipt.ts'
import { paymentPages } from './receipt-line-store.ts'
import { addPayments, findFollowedTo, sumBucketPayments, sumSettled } from './receipt-store.ts'

const wallet = '7-0xa'
const schemas = (count = costMigrations.length) => [{ name: 'costs', migrations: costMigrations.slice(0, count) }]
const token = 10n ** 18n
/** Longer than any integer of a database. */
const large = 123_456_789_012_345_678_901_234_567n

const addRail = (railId: string, bucketId: number) =>
  `insert into cost_rails (wallet, rail_id, kind, bucket_id, is_deleted, rate, reserve, advance, pending, leaves, end_epoch, is_open)
   values ('${wallet}', '${railId}', 'storage', ${bucketId}, 0, '0', '0', '0', '0', '0', '0', 1)`

interface Wanted {
  readonly bucketId?: number
  readonly after?: string | undefined
  readonly limit?: number
}
const read = (database: TestDatabase, { bucketId, after, limit = 10_000 }: Wanted = {}) =>
  readReceipt(database, { filter: { wallet, month: '2026-11', bucketId }, payer: '0xa', bucket: undefined, after, limit })

await describeOnEngines('sums of payments', (engine) => {
  test('payments are added to their month and to the sums of their rail, to the last unit', async () => {
    await using database = await engine.open(schemas())
    await database.write(async (tx) => {
      await runSql(tx, addRail('3', 1))
      await runSql(tx, addRail('4', 1))
      await runSql(tx, addRail('5', 2))
      const pay = (month: string, railId: string, kind: 'one_time' | 'storage', amount: bigint) =>
        addPayments(tx, { wallet, month }, [{ railId, kind, payments: 1, amount }])
      await pay('2026-10', '3', 'storage', large)
      await pay('2026-10', '4', 'storage', 1n)
      await pay('2026-11', '3', 'storage', large)
      await pay('2026-11', '3', 'one_time', 9n)
      await pay('2026-11', '5', 'storage', 7n)
      await addPayments(tx, { wallet: '7-0xb', month: '2026-11' }, [{ railId: '3', kind: 'storage', payments: 1, amount: 5n }])
    })
    expect(await sumBucketPayments(database.read, wallet, 1)).toEqual({ one_time: '9', storage: String(2n * large + 1n) })
    expect(await sumBucketPayments(database.read, wallet, 2)).toEqual({ one_time: '0', storage: '7' })
    const { lines, total } = await read(database)
    expect(lines.map(({ rail_id, bucket_id, kind, payments, amount }) => [rail_id, bucket_id, kind, payments, amount])).toEqual([
      ['3', 1, 'one_time', 1, '9'],
      ['3', 1, 'storage', 1, String(large)],
      ['5', 2, 'storage', 1, '7'],
    ])
    expect(total).toBe(String(large + 16n))
    expect((await read(database, { bucketId: 2 })).lines).toMatchObject([{ rail_id: '5' }])
  })

  test('more payments than one statement takes are all added', async () => {
    await using database = await engine.open(schemas())
    const added = Array.from({ length: 1201 }, (_, index) => ({
      railId: String(index),
      kind: 'storage' as const,
      payments: 1,
      amount: token,
    }))
    for (let round = 0; round < 2; round++) await database.write((tx) => addPayments(tx, { wallet, month: '2026-11' }, added))
    const { lines, total } = await read(database)
    expect(lines).toHaveLength(1201)
    expect(lines.every(({ payments, amount }) => payments === 2 && amount === String(2n * token))).toBe(true)
    expect(total).toBe(String(2402n * token))
  })

  test('a receipt of many rails comes in pages with the sums of all, and as CSV in parts', async () => {
    await using database = await engine.open(schemas())
    const kinds = ['one_time', 'storage'] as const
    const added = Array.from({ length: 1100 }, (_, rail) => kinds.map((kind) => ({ railId: String(rail), kind, payments: 1, amount: 3n })))
    await database.write((tx) => addPayments(tx, { wallet, month: '2026-11' }, added.flat()))
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await read(database, { after, limit: 999 })
      expect(page).toMatchObject({ total: '6600', storage: '3300' })
      expect(page.lines.length).toBeLessThanOrEqual(999)
      seen.push(...page.lines.map(({ rail_id, kind }) => `${rail_id} ${kind}`))
      after = page.next_after
    } while (after !== undefined)
    expect([seen.length, new Set(seen).size]).toEqual([2200, 2200])
    const filter = { wallet, month: '2026-11', bucketId: undefined }
    const parts = await Array.fromAsync(streamCsv('2026-11', paymentPages(database.read, filter)))
    expect(parts.map((part) => part.trimEnd().split('\r\n').length)).toEqual([1, 1000, 1000, 200])
    expect(parts[1]?.split('\r\n')[0]).toBe('2026-11,foreign,,,,,0,one_time,1,3')
  })

  test('the upgrade adds up what is recorded', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'svc-upgrade-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    const place = { dir, dialect: engine.dialect }
    const rows = [
      ['2026-10', '3', 'storage', large],
      ['2026-11', '3', 'storage', large],
      ['2026-11', '3', 'one_time', 999_999_999n],
      ['2026-12', '3', 'one_time', 1n],
      ['2026-11', '4', 'storage', 5n],
      ['2026-11', '', 'unknown', 8n],
    ] as const
    const before = await openTestDatabase(schemas(1), place)
    await before.write(async (tx) => {
      await runSql(tx, addRail('3', 1))
      await runSql(tx, "insert into cost_reads (wallet, followed_epoch, followed_funds) values (?, '10', '20')", wallet)
      await runSql(tx, "insert into cost_reads (wallet, followed_epoch, followed_funds) values ('7-0xb', '10', '20')")
      for (const [month, railId, kind, amount] of rows) {
        const insert = 'insert into cost_payments (wallet, month, rail_id, kind, payments, amount) values (?, ?, ?, ?, 1, ?)'
        await runSql(tx, insert, wallet, month, railId, kind, String(amount))
      }
    })
    await before[Symbol.asyncDispose]()
    await using database = await openTestDatabase(schemas(), place)
    expect(await sumBucketPayments(database.read, wallet, 1)).toEqual({ one_time: String(token / 10n ** 9n), storage: String(2n * large) })
    expect(await sumSettled(database.read, wallet)).toBe(2n * large + 5n)
    expect(await findFollowedTo(database.read, '7-0xb')).toEqual({ epoch: 10n, funds: 20n, storage: 0n })
  })
})
