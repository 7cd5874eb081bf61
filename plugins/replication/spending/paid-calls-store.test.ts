import { expect, test } from 'vitest'
import { type Database, sqlStatement } from '#kernel'
import { describeOnEngines } from '#kernel/testing'
import type { PaidCalls } from '../contract.ts'
import { contentSchemas } from '../testing/schemas.ts'
import { callsOfBucket, callsOfDays, keepPastCalls, uncountedAdditions } from './paid-calls-store.ts'

const dayMs = 86_400_000
const now = 20_000 * dayMs + 5000

/** Bucket 1 has data sets 1 (on chain) and 2 (its creation is undecided). */
const rows = [
  `insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (1, 'one', 1, 1, 1, 1)`,
  ...[
    [1, "'11'", "'ready'", "'today'", now - dayMs],
    [2, 'null', "'creating'", "'today'", now],
    [3, 'null', "'planned'", "'today'", now],
  ].map(
    ([id, chainId, state, prices, at]) =>
      `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, chain_id, state,
         create_price_list, create_started_at, created_at, updated_at)
       values (${id}, 1, ${id}, 0, '${id}', '0x', '0x', 'http://x', 'c${id}', ${chainId}, ${state}, ${prices}, ${at}, 1, 1)`,
  ),
  ...[
    ['a', "'confirmed'", 3, now - dayMs, "'today'"],
    ['b', "'uncertain'", 2, now, "'today'"],
    ['c', "'ready'", 9, now, "'today'"],
    ['d', "'confirmed'", 1, now, 'null'],
    ['e', "'closed'", 9, now, "'today'"],
  ].map(
    ([nonce, state, pieces, at, prices], index) =>
      `insert into commit_batches (id, data_set_id, method, state, nonce, extra_data, submit_started_at, piece_count, price_list, created_at, updated_at)
       values (${index + 1}, 1, 'store', ${state}, '${nonce}', '0x', ${at}, ${pieces}, ${prices}, 1, 1)`,
  ),
  `insert into removal_attempts (id, data_set_id, extra_data, started_at, price_list, updated_at) values (1, 1, '0x', ${now}, 'today', 1), (2, 1, '0x', ${now}, 'today', 1)`,
  `insert into removals (data_set_id, chain_piece_id, content_id, state, attempt_id, created_at, updated_at)
     values (1, '1', 1, 'scheduled', 1, 1, 1), (1, '2', 1, 'pending', null, 1, 1)`,
  `insert into data_set_endings (data_set_id, state, path, started_at, attempts, requested_at, updated_at, price_list)
     values (1, 'ended', 'relay', ${now}, 1, 1, 1, 'today')`,
]

async function fill(database: Database): Promise<void> {
  await database.write(async (tx) => {
    for (const row of rows) await tx.run(sqlStatement(row), {})
  })
}

const none = { creations: 0, additions: 0, pieces: 0, removals: 0, terminations: 0 }
/** The calls of all days by price list. */
function sumDays(calls: readonly PaidCalls[]): readonly PaidCalls[] {
  const groups = Map.groupBy(calls, ({ priceList, hasLanded }) => `${priceList} ${hasLanded}`)
  return [...groups.values()].map((group) => {
    const sumOf = (name: keyof typeof none) => group.reduce((sum, call) => sum + call[name], 0)
    const { priceList, hasLanded } = group[0] as PaidCalls
    const sums = { creations: sumOf('creations'), additions: sumOf('additions'), pieces: sumOf('pieces') }
    return { ...sums, removals: sumOf('removals'), terminations: sumOf('terminations'), priceList, hasLanded }
  })
}
const sorted = (calls: readonly PaidCalls[]) =>
  sumDays(calls).toSorted((a, b) => String(a.priceList).localeCompare(String(b.priceList)) || Number(a.hasLanded) - Number(b.hasLanded))

const landedToday = { ...none, priceList: 'today', hasLanded: true, creations: 1, additions: 1, pieces: 3, removals: 1, terminations: 1 }
const undecided = { ...none, priceList: 'today', hasLanded: false, creations: 1, additions: 1, pieces: 2 }
const unpriced = { ...none, priceList: undefined, hasLanded: true, additions: 1, pieces: 1 }

await describeOnEngines('paid calls', (engine) => {
  test('calls that landed or are undecided are counted by price list, and requests without effect are not', async () => {
    await using database = await engine.open(contentSchemas)
    await fill(database)
    expect(sorted(await callsOfDays(database.read, 0))).toEqual([undecided, landedToday, unpriced])
    expect(sorted(await callsOfBucket(database.read, 1))).toEqual([undecided, landedToday, unpriced])
    expect(await callsOfBucket(database.read, 2)).toEqual([])
    const ofDay = { ...landedToday, creations: 0, additions: 0, pieces: 0 }
    expect(sorted(await callsOfDays(database.read, 20_000))).toEqual([undecided, ofDay, unpriced])
    expect(await uncountedAdditions(database.read, 0n)).toEqual({ bytes: 0, emptySets: 0 })
  })

  test('the calls of a data set stay counted, once, while its records are deleted and after it', async () => {
    await using database = await engine.open(contentSchemas)
    await fill(database)
    await database.write((tx) => keepPastCalls(tx, 1))
    await database.write(async (tx) => {
      await tx.run(sqlStatement('delete from removals where attempt_id = 1'), {})
      await tx.run(sqlStatement("delete from commit_batches where nonce <> 'b'"), {})
      await keepPastCalls(tx, 1)
    })
    const ofSecond = { ...undecided, additions: 0, pieces: 0 }
    expect(sorted(await callsOfDays(database.read, 0))).toEqual([ofSecond, landedToday, unpriced])
    const ofDay = { ...landedToday, creations: 0, additions: 0, pieces: 0 }
    expect(sorted(await callsOfDays(database.read, 20_000))).toEqual([ofSecond, ofDay, unpriced])
  })
})
