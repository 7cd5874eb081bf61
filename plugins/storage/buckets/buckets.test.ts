import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { allRows, getRow } from '#kernel/testing'
import { resolveCopies } from '../catalog/buckets/bucket-copies-policy.ts'
import { openObjectStorage } from '../testing/object-storage.ts'
import { bucketNameProblem } from './bucket-name-policy.ts'
import { createBuckets } from './buckets.ts'

test('a new bucket is found at once, and after a restart', async () => {
  await using storage = await openObjectStorage()
  const { buckets, database } = storage
  const created = await buckets.create({ name: 'a-bucket', ownerAccessKey: 'AKIA1', defaultCopies: 3, minimumDurableCopies: 2 })
  expect(created).toMatchObject({ name: 'a-bucket', ownerAccessKey: 'AKIA1', defaultCopies: 3, minimumDurableCopies: 2 })
  expect(buckets.find('a-bucket')).toEqual(created)
  expect(buckets.findById(created.id)).toEqual(created)
  expect(buckets.require('a-bucket')).toEqual(created)
  expect(buckets.list().map(({ name }) => name)).toEqual(['a-bucket', 'photos'])
  expect(await buckets.usages([created.id])).toEqual([{ objectCount: 0, totalSizeBytes: 0 }])
  const later = await createBuckets({ database, clock: systemClock, partFiles: storage.cache, defaults: () => ({ defaultCopies: 8 }) })
  expect(later.list()).toEqual(buckets.list())
})

test('of concurrent requests for one bucket name only one succeeds', async () => {
  await using storage = await openObjectStorage()
  const attempts = Array.from({ length: 4 }, () => storage.buckets.create({ name: 'wanted', ownerAccessKey: null }))
  const results = await Promise.allSettled(attempts)
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'bucket_exists', status: 409 })
})

test('an invalid name, an invalid number of copies and a missing bucket each have their error code', async () => {
  await using storage = await openObjectStorage()
  const create = (name: string, copies = {}) => storage.buckets.create({ name, ownerAccessKey: null, ...copies })
  await expect(create('No')).rejects.toMatchObject({ code: 'invalid_bucket_name', status: 400 })
  await expect(create('fine', { defaultCopies: 9 })).rejects.toMatchObject({ code: 'copy_policy_invalid', status: 400 })
  await expect(create('fine', { defaultCopies: 2, minimumDurableCopies: 3 })).rejects.toMatchObject({
    code: 'copy_policy_minimum_exceeds_target',
  })
  expect(() => storage.buckets.require('fine')).toThrow("there is no bucket 'fine'")
})

test('a bucket can be assigned to another owner', async () => {
  await using storage = await openObjectStorage()
  const { buckets } = storage
  await buckets.setOwner('photos', 'AKIA1')
  expect([buckets.find('photos')?.ownerAccessKey, await buckets.countOwnedBy('AKIA1'), await buckets.countOwnedBy('AKIA2')]).toEqual([
    'AKIA1',
    1,
    0,
  ])
  await buckets.setOwner('photos', null)
  expect(await buckets.countOwnedBy('AKIA1')).toBe(0)
  await expect(buckets.setOwner('nowhere', null)).rejects.toMatchObject({ code: 'bucket_not_found', status: 404 })
})

test('I-12: a changed target applies to later uploads; earlier ones keep their target', async () => {
  await using storage = await openObjectStorage()
  const { buckets, database } = storage
  await storage.put('before', 'first bytes')
  const changed = await buckets.setCopyPolicy('photos', { defaultCopies: 5 })
  expect(changed).toMatchObject({ defaultCopies: 5, minimumDurableCopies: 2 })
  expect(buckets.find('photos')).toEqual(changed)
  expect(
    (await createBuckets({ database, clock: systemClock, partFiles: storage.cache, defaults: () => ({ defaultCopies: 8 }) })).find(
      'photos',
    ),
  ).toEqual(changed)
  await storage.put('after', 'other bytes')
  expect(await allRows(database.read, 'select target_copies as target from contents order by id')).toEqual([{ target: 2 }, { target: 5 }])
})

test('a changed minimum calls its hook inside the transaction, and a refused change changes nothing', async () => {
  await using storage = await openObjectStorage()
  const { database } = storage
  const notified: unknown[] = []
  const buckets = await createBuckets({
    database,
    clock: systemClock,
    partFiles: storage.cache,
    defaults: () => ({ defaultCopies: 2 }),
    onMinimumChanged: async (tx, { name, minimumDurableCopies }) => {
      notified.push([name, minimumDurableCopies, await getRow(tx, 'select minimum_durable_copies as minimum from buckets')])
      if (minimumDurableCopies === 3) throw new Error('no space for a task')
    },
  })
  await buckets.setCopyPolicy('photos', { defaultCopies: 3 })
  await buckets.setCopyPolicy('photos', { minimumDurableCopies: 1 })
  expect(notified).toEqual([['photos', 1, { minimum: 1 }]])
  const before = buckets.find('photos')
  await expect(buckets.setCopyPolicy('photos', { minimumDurableCopies: null })).rejects.toThrow('no space for a task')
  await expect(buckets.setCopyPolicy('photos', {})).rejects.toMatchObject({ code: 'copy_policy_empty', status: 400 })
  await expect(buckets.setCopyPolicy('nowhere', { defaultCopies: 8 })).rejects.toMatchObject({ code: 'bucket_not_found' })
  expect(buckets.find('photos')).toEqual(before)
  expect(await getRow(database.read, 'select minimum_durable_copies as minimum from buckets')).toEqual({ minimum: 1 })
})

test('an owner check can refuse an owner, and is not called for the root account', async () => {
  await using storage = await openObjectStorage()
  const { database } = storage
  const refuse = async (_read: unknown, owner: string) => {
    if (owner === 'deleted-user') throw new Error('no such owner')
  }
  const ownerChecks = () => [{ name: 'test', check: refuse }]
  const buckets = await createBuckets({
    database,
    clock: systemClock,
    partFiles: storage.cache,
    defaults: () => ({ defaultCopies: 2 }),
    ownerChecks,
  })
  await expect(buckets.create({ name: 'wanted', ownerAccessKey: 'deleted-user' })).rejects.toThrow('no such owner')
  await expect(buckets.setOwner('photos', 'deleted-user')).rejects.toThrow('no such owner')
  await buckets.create({ name: 'wanted', ownerAccessKey: 'here' })
  await buckets.setOwner('photos', null)
  expect(buckets.list().map(({ name, ownerAccessKey }) => [name, ownerAccessKey])).toEqual([
    ['photos', null],
    ['wanted', 'here'],
  ])
})

test('inside a transaction the buckets of an owner are counted from their rows', async () => {
  await using storage = await openObjectStorage()
  const { buckets, database } = storage
  const created = buckets.create({ name: 'wanted', ownerAccessKey: 'AKIA1' })
  // Both writes are in one group commit: the bucket is not in memory yet.
  const counted = database.write(async (tx) => [await buckets.countOwnedBy('AKIA1', tx), await buckets.countOwnedBy('AKIA1')])
  await created
  expect(await counted).toEqual([1, 0])
})

test.each([
  ['abc', true],
  ['a'.repeat(63), true],
  ['my.bucket-1', true],
  ['1a2', true],
  ['ab', false],
  ['a'.repeat(64), false],
  ['-abc', false],
  ['abc.', false],
  ['a..b', false],
  ['a.-b', false],
  ['a-.b', false],
  ['Abc', false],
  ['a_b', false],
  ['bücket', false],
  ['192.168.0.1', false],
  ['xn--abc', false],
  ['sthree-abc', false],
  ['amzn-s3-demo-bucket', false],
  ['abc-s3alias', false],
  ['abc--ol-s3', false],
  ['abc.mrap', false],
  ['abc--x-s3', false],
  ['abc--table-s3', false],
  ['sthree', true],
  ['abc-x-s3', true],
])('the bucket name %s is valid: %s', (name, isValid) => {
  expect(bucketNameProblem(name) === undefined).toBe(isValid)
})

const defaults = { defaultCopies: 3, minimumDurableCopies: 2 }

test.each([
  ['empty request: the configured values', {}, defaults, [3, 2]],
  ['no configured minimum: equal to the target', {}, { defaultCopies: 3 }, [3, 3]],
  ['configured minimum of 0: equal to the target', { defaultCopies: 4 }, { defaultCopies: 3, minimumDurableCopies: 0 }, [4, 4]],
  ['configured minimum above the target: equal to the target', { defaultCopies: 1 }, defaults, [1, 1]],
  ['both requested: the requested values', { defaultCopies: 8, minimumDurableCopies: 1 }, defaults, [8, 1]],
  ['minimum above the target: refused', { minimumDurableCopies: 4 }, defaults, undefined],
  ['target of 0: refused', { defaultCopies: 0 }, defaults, undefined],
  ['fraction: refused', { defaultCopies: 1.5 }, defaults, undefined],
  ['minimum of 0: refused', { minimumDurableCopies: 0 }, defaults, undefined],
] as const)('I-12: copies of a new bucket: %s', (_case, request, configured, expected) => {
  const verdict = resolveCopies(request, configured)
  expect(verdict.isValid ? [verdict.defaultCopies, verdict.minimumDurableCopies] : undefined).toEqual(expected)
})
