import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { openObjectStorage } from '../testing/object-storage.ts'
import { resolveCopies } from './bucket-copies-policy.ts'
import { bucketNameProblem } from './bucket-name-policy.ts'
import { createBuckets } from './buckets.ts'

test('a bucket is found as soon as it is made, and by whoever starts later', async () => {
  await using storage = await openObjectStorage()
  const { buckets, database } = storage
  const made = await buckets.create({ name: 'a-bucket', ownerAccessKey: 'AKIA1', defaultCopies: 3, minimumDurableCopies: 2 })
  expect(made).toMatchObject({ name: 'a-bucket', ownerAccessKey: 'AKIA1', defaultCopies: 3, minimumDurableCopies: 2 })
  expect(buckets.find('a-bucket')).toEqual(made)
  expect(buckets.findById(made.id)).toEqual(made)
  expect(buckets.require('a-bucket')).toEqual(made)
  expect(buckets.list().map(({ name }) => name)).toEqual(['a-bucket', 'photos'])
  expect(buckets.usage(made.id)).toEqual({ objectCount: 0, totalSizeBytes: 0 })
  const later = createBuckets({ database, clock: systemClock, defaults: { defaultCopies: 8 } })
  expect(later.list()).toEqual(buckets.list())
})

test('a name can be taken once, also by two requests at the same time', async () => {
  await using storage = await openObjectStorage()
  const attempts = Array.from({ length: 4 }, () => storage.buckets.create({ name: 'wanted', ownerAccessKey: null }))
  const results = await Promise.allSettled(attempts)
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'bucket_exists', status: 409 })
})

test('what is wrong with a new bucket is said with its code', async () => {
  await using storage = await openObjectStorage()
  const create = (name: string, copies = {}) => storage.buckets.create({ name, ownerAccessKey: null, ...copies })
  await expect(create('No')).rejects.toMatchObject({ code: 'invalid_bucket_name', status: 400 })
  await expect(create('fine', { defaultCopies: 9 })).rejects.toMatchObject({ code: 'copy_policy_invalid', status: 400 })
  await expect(create('fine', { defaultCopies: 2, minimumDurableCopies: 3 })).rejects.toMatchObject({
    code: 'copy_policy_minimum_exceeds_target',
  })
  expect(() => storage.buckets.require('fine')).toThrow("there is no bucket 'fine'")
})

test('a bucket can be given to another owner', async () => {
  await using storage = await openObjectStorage()
  const { buckets } = storage
  await buckets.setOwner('photos', 'AKIA1')
  expect([buckets.find('photos')?.ownerAccessKey, buckets.countOwnedBy('AKIA1'), buckets.countOwnedBy('AKIA2')]).toEqual(['AKIA1', 1, 0])
  await buckets.setOwner('photos', null)
  expect(buckets.countOwnedBy('AKIA1')).toBe(0)
  await expect(buckets.setOwner('nowhere', null)).rejects.toMatchObject({ code: 'bucket_not_found', status: 404 })
})

test('I-12: a changed target binds later uploads, those before keep theirs', async () => {
  await using storage = await openObjectStorage()
  const { buckets, database } = storage
  await storage.put('before', 'first bytes')
  const changed = await buckets.setCopyPolicy('photos', { defaultCopies: 5 })
  expect(changed).toMatchObject({ defaultCopies: 5, minimumDurableCopies: 2 })
  expect(buckets.find('photos')).toEqual(changed)
  expect(createBuckets({ database, clock: systemClock, defaults: { defaultCopies: 8 } }).find('photos')).toEqual(changed)
  await storage.put('after', 'other bytes')
  expect(database.read.all('select target_copies as target from contents order by id')).toEqual([{ target: 2 }, { target: 5 }])
})

test('a changed minimum is told inside its transaction, and a refused change leaves everything', async () => {
  await using storage = await openObjectStorage()
  const { database } = storage
  const told: unknown[] = []
  const buckets = createBuckets({
    database,
    clock: systemClock,
    defaults: { defaultCopies: 2 },
    onMinimumChanged: (tx, { name, minimumDurableCopies }) => {
      told.push([name, minimumDurableCopies, tx.get('select minimum_durable_copies as minimum from buckets')])
      if (minimumDurableCopies === 3) throw new Error('no room for a task')
    },
  })
  await buckets.setCopyPolicy('photos', { defaultCopies: 3 })
  await buckets.setCopyPolicy('photos', { minimumDurableCopies: 1 })
  expect(told).toEqual([['photos', 1, { minimum: 1 }]])
  const before = buckets.find('photos')
  await expect(buckets.setCopyPolicy('photos', { minimumDurableCopies: null })).rejects.toThrow('no room for a task')
  await expect(buckets.setCopyPolicy('photos', {})).rejects.toMatchObject({ code: 'copy_policy_empty', status: 400 })
  await expect(buckets.setCopyPolicy('nowhere', { defaultCopies: 8 })).rejects.toMatchObject({ code: 'bucket_not_found' })
  expect(buckets.find('photos')).toEqual(before)
  expect(database.read.get('select minimum_durable_copies as minimum from buckets')).toEqual({ minimum: 1 })
})

test('an owner that another plugin refuses gets no bucket, and the service itself is never asked about', async () => {
  await using storage = await openObjectStorage()
  const { database } = storage
  const refuse = (_read: unknown, owner: string) => {
    if (owner === 'gone') throw new Error('no such owner')
  }
  const ownerChecks = () => [{ name: 'test', check: refuse }]
  const buckets = createBuckets({ database, clock: systemClock, defaults: { defaultCopies: 2 }, ownerChecks })
  await expect(buckets.create({ name: 'wanted', ownerAccessKey: 'gone' })).rejects.toThrow('no such owner')
  await expect(buckets.setOwner('photos', 'gone')).rejects.toThrow('no such owner')
  await buckets.create({ name: 'wanted', ownerAccessKey: 'here' })
  await buckets.setOwner('photos', null)
  expect(buckets.list().map(({ name, ownerAccessKey }) => [name, ownerAccessKey])).toEqual([
    ['photos', null],
    ['wanted', 'here'],
  ])
})

test('inside a transaction the buckets of an owner are counted by their rows', async () => {
  await using storage = await openObjectStorage()
  const { buckets, database } = storage
  const made = buckets.create({ name: 'wanted', ownerAccessKey: 'AKIA1' })
  // Both join one group: the memory does not know of the bucket yet.
  const counted = database.write((tx) => [buckets.countOwnedBy('AKIA1', tx), buckets.countOwnedBy('AKIA1')])
  await made
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
  ['abc-s3alias', false],
])('the bucket name %s is valid: %s', (name, isValid) => {
  expect(bucketNameProblem(name) === undefined).toBe(isValid)
})

const defaults = { defaultCopies: 3, minimumDurableCopies: 2 }

test.each([
  ['nothing said: the configured values', {}, defaults, [3, 2]],
  ['no configured minimum: as many as the target', {}, { defaultCopies: 3 }, [3, 3]],
  ['a configured minimum of 0 means the same', { defaultCopies: 4 }, { defaultCopies: 3, minimumDurableCopies: 0 }, [4, 4]],
  ['a configured minimum is cut to a smaller target', { defaultCopies: 1 }, defaults, [1, 1]],
  ['both said', { defaultCopies: 8, minimumDurableCopies: 1 }, defaults, [8, 1]],
  ['a minimum above the target', { minimumDurableCopies: 4 }, defaults, undefined],
  ['a target of 0', { defaultCopies: 0 }, defaults, undefined],
  ['a fraction', { defaultCopies: 1.5 }, defaults, undefined],
  ['a minimum of 0', { minimumDurableCopies: 0 }, defaults, undefined],
] as const)('I-12: copies of a new bucket: %s', (_case, wish, configured, expected) => {
  const verdict = resolveCopies(wish, configured)
  expect(verdict.isValid ? [verdict.defaultCopies, verdict.minimumDurableCopies] : undefined).toEqual(expected)
})
