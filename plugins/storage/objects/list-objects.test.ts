import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnEngines, runSql, type TestDatabase } from '#kernel/testing'
import { entryReads, keyReads, type ListReads, versionedKeyReads } from '../catalog/versions/list-store.ts'
import type { ListPage, ListRequest } from '../contract.ts'
import { storageMigrations } from '../migrations/all-migrations.ts'
import { listObjects } from './list-objects.ts'

type BucketListRequest = Omit<ListRequest, 'bucket'>

/** Reference implementation: computes all results of the bucket in order, then cuts the page. */
function rollUp(keys: readonly string[], { prefix = '', delimiter, after, limit }: BucketListRequest) {
  const results: { readonly text: string; readonly isGroup: boolean }[] = []
  for (const key of keys.filter((candidate) => candidate.startsWith(prefix)).sort(byBytes)) {
    const at = delimiter ? key.indexOf(delimiter, prefix.length) : -1
    const text = delimiter && at >= 0 ? key.slice(0, at + delimiter.length) : key
    if (results.at(-1)?.text !== text) results.push({ text, isGroup: at >= 0 })
  }
  const left = results.filter(({ text }) => after === undefined || byBytes(text, after) > 0)
  const shown = left.slice(0, limit)
  return {
    keys: shown.flatMap(({ text, isGroup }) => (isGroup ? [] : [text])),
    commonPrefixes: shown.flatMap(({ text, isGroup }) => (isGroup ? [text] : [])),
    isTruncated: left.length > limit,
    last: shown.at(-1)?.text,
  }
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const shape = ({ entries, commonPrefixes, isTruncated, last }: ListPage<{ readonly key: string }>) => ({
  keys: entries.map(({ key }) => key),
  commonPrefixes,
  isTruncated,
  last,
})

/** Few letters, so that prefixes collide: ASCII, the boundaries of the UTF-8 and UTF-16 ranges, and the highest code point. */
const letter = fc.constantFrom('a', 'b', '/', '\u0001', '\u007f', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '🗝', '\u{10ffff}')
const word = (maxLength: number, minLength = 0) => fc.array(letter, { minLength, maxLength }).map((letters) => letters.join(''))
const key = word(6, 1)
const delimiter = fc.oneof(
  { weight: 3, arbitrary: fc.constant('/') },
  word(2, 1),
  fc.constantFrom('\u{10ffff}', '\u{10ffff}\u{10ffff}', 'a\u{10ffff}'),
)
const anyRequest = fc.record(
  { prefix: word(3), delimiter, after: fc.oneof(word(4), key), limit: fc.integer({ min: 1, max: 12 }) },
  { requiredKeys: ['limit'] },
)

/** Random buckets: each row and listing costs a round trip to PostgreSQL. */
const bucketsOn = { sqlite: 90, postgres: 30 }

const kindsOfReads: readonly ListReads<{ readonly key: string }>[] = [entryReads, keyReads, versionedKeyReads]

await describeOnEngines('listings', ({ dialect, open }) => {
  let database: TestDatabase
  let bucketCount = 0

  beforeAll(async () => {
    database = await open([{ name: 'storage', migrations: storageMigrations }])
  })

  afterAll(() => database[Symbol.asyncDispose]())

  async function bucketWith(keys: Iterable<string>): Promise<number> {
    const bucketId = ++bucketCount
    await database.write(async (tx) => {
      await runSql(
        tx,
        'insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (?, ?, 2, 1, 0, 0)',
        bucketId,
        `bucket-${bucketId}`,
      )
      for (const key of keys) {
        await runSql(
          tx,
          `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified) values (?, ?, 'v', -1, 1, 7, 'e', 5)`,
          bucketId,
          key,
        )
      }
    })
    return bucketId
  }

  test('for random keys, prefixes, delimiters and start keys, every page equals the reference implementation', async () => {
    let listings = 0
    const bucket = fc.record({
      keys: fc.uniqueArray(key, { maxLength: 120 }),
      requests: fc.array(anyRequest, { minLength: 40, maxLength: 60 }),
    })
    await fc.assert(
      fc.asyncProperty(bucket, async ({ keys, requests }) => {
        const bucketId = await bucketWith(keys)
        for (const request of requests) {
          listings += 1
          const of = { bucketId, reads: kindsOfReads[listings % kindsOfReads.length] ?? keyReads }
          expect(shape(await listObjects(database.read, of, request)), JSON.stringify(request)).toEqual(rollUp(keys, request))
        }
      }),
      { numRuns: bucketsOn[dialect] },
    )
    expect(listings).toBeGreaterThanOrEqual(40 * bucketsOn[dialect])
  })

  test('the pages of a listing contain every result once, and only the last is not truncated', async () => {
    const walk = fc.record({
      keys: fc.uniqueArray(key, { maxLength: 150 }),
      request: fc.record({ prefix: word(1), delimiter, limit: fc.integer({ min: 1, max: 9 }) }, { requiredKeys: ['limit'] }),
    })
    await fc.assert(
      fc.asyncProperty(walk, async ({ keys, request }) => {
        const bucketId = await bucketWith(keys)
        const seen: string[] = []
        let page = await listObjects(database.read, { bucketId, reads: keyReads }, request)
        for (;;) {
          seen.push(...page.entries.map((entry) => entry.key), ...page.commonPrefixes)
          if (!page.isTruncated || page.last === undefined) break
          page = await listObjects(database.read, { bucketId, reads: keyReads }, { ...request, after: page.last })
        }
        const whole = rollUp(keys, { ...request, limit: 1000 })
        expect(seen.sort(byBytes)).toEqual([...whole.keys, ...whole.commonPrefixes].sort(byBytes))
      }),
      { numRuns: bucketsOn[dialect] / 2 },
    )
  })

  test('a prefix whose listing begins with many keys before its first common prefix is listed correctly', async () => {
    const plain = Array.from({ length: 150 }, (_, n) => `f/a${String(n).padStart(3, '0')}`)
    const grouped = Array.from({ length: 300 }, (_, n) => `f/b${n % 100}/${n}`)
    const keys = [...plain, ...grouped, 'f/c', 'g']
    const bucketId = await bucketWith(keys)
    for (const limit of [1, 63, 64, 65, 149, 150, 151, 200, 251, 252, 1000]) {
      const request = { prefix: 'f/', delimiter: '/', limit }
      expect(shape(await listObjects(database.read, { bucketId, reads: keyReads }, request))).toEqual(rollUp(keys, request))
    }
  })
})
