import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { allRows, describeOnEngines, insertRow, runSql } from '#kernel/testing'
import type { Bucket, ObjectVersion } from '#plugins/storage'
import { storageMigrations } from '../../storage/migrations/all-migrations.ts'
import { bucketSettingsDeletion } from '../bucket-settings/bucket-settings.ts'
import { migrations } from '../migrations.ts'
import { type AccessLists, createAccessLists } from './access-lists.ts'

const schemas = [
  { name: 'storage', migrations: storageMigrations },
  { name: 's3', migrations },
]
const users = { ownerIdOf: (accessKey: string | null) => `id of ${accessKey}` }
const settings = { default_object_ownership: 'BucketOwnerPreferred', public_access: true } as const
const readable = [{ grantee: 'everyone', permission: 'READ' }] as const
const writable = [{ grantee: 'id:x', permission: 'WRITE' }] as const

await describeOnEngines('access lists', ({ open }) => {
  async function setUp() {
    const database = await open(schemas)
    const bucketRow = 'insert into buckets (name, default_copies, minimum_durable_copies, created_at, updated_at) values (?, 3, 3, 0, 0)'
    const ids = await Promise.all(['one', 'two'].map((name) => database.write((tx) => insertRow(tx, bucketRow, name))))
    const [bucket, other] = ids.map((id) => ({ id, name: `b${id}`, ownerAccessKey: 'o' }) as Bucket)
    if (!bucket || !other) throw new Error('no buckets')
    const buckets = { list: () => [bucket, other] }
    const start = () => createAccessLists({ database, buckets, clock: systemClock, settings, users })
    const addVersion = async (versionId: string, rseq: number, marker = 0) => {
      await database.write((tx) =>
        runSql(
          tx,
          `insert into object_versions (bucket_id, key, rseq, version_id, is_delete_marker, size, etag, content_type, created_at) values (?, 'k', ?, ?, ?, 0, '', '', 0)`,
          bucket.id,
          rseq,
          versionId,
          marker,
        ),
      )
      return { bucketId: bucket.id, key: 'k', versionId } as ObjectVersion
    }
    return { database, bucket, other, start, addVersion }
  }

  test('the list of a bucket has an effect at once and after a restart, in that bucket only, until the bucket is deleted', async () => {
    const { database, bucket, other, start } = await setUp()
    await using _ = database
    const lists = await start()
    await lists.changeBucket(bucket, (access) => ({ ...access, grants: readable }))
    await lists.changeBucket(bucket, (access) => ({ ...access, ownership: 'ObjectWriter' }))
    const expectStored = (one: AccessLists) => {
      expect(one.rulesOf(bucket)).toMatchObject({ grants: readable, ownership: 'ObjectWriter' })
      expect(one.rulesOf(other)).toMatchObject({ grants: [{ grantee: 'owner' }], ownership: 'BucketOwnerPreferred' })
    }
    expectStored(lists)
    expectStored(await start())
    await database.write(async (tx) => {
      await runSql(tx, 'update buckets set deleted_at = 1 where id = ?', bucket.id)
      await bucketSettingsDeletion.deleted(tx, bucket.id)
    })
    await expect(lists.changeBucket(bucket, (access) => access)).rejects.toMatchObject({ code: 'NoSuchBucket' })
    expect((await start()).accessOf(bucket)).toEqual({})
  })

  test('a refused change leaves the list as it was, and a later one sees the result of an earlier one', async () => {
    const { database, bucket, start } = await setUp()
    await using _ = database
    const lists = await start()
    await lists.changeBucket(bucket, () => ({ grants: readable }))
    await expect(
      lists.changeBucket(bucket, () => {
        throw new Error('refused')
      }),
    ).rejects.toThrow('refused')
    await Promise.all(
      (['ObjectWriter', 'BucketOwnerEnforced'] as const).map((ownership) =>
        lists.changeBucket(bucket, (access) => ({ ...access, ownership })),
      ),
    )
    expect(lists.accessOf(bucket)).toEqual({ grants: readable, ownership: 'BucketOwnerEnforced' })
  })

  test('a version has its own owner and list, which go with it', async () => {
    const { database, bucket, start, addVersion } = await setUp()
    await using _ = database
    const lists = await start()
    const [old, current] = [await addVersion('old', -1), await addVersion('new', -2)]
    const access = { owner: 'x', grants: writable }
    await database.write((tx) => lists.addToVersion(tx, old, access))
    const place = { bucketId: bucket.id, key: 'k' }
    expect(await lists.findObject(place)).toEqual({ versionId: 'new', isDeleteMarker: false, access: undefined })
    expect(await lists.findObject({ ...place, versionId: 'old' })).toEqual({ versionId: 'old', isDeleteMarker: false, access })
    expect(await lists.findObject({ ...place, bucketId: bucket.id + 1, versionId: 'old' })).toBeUndefined()
    expect(await lists.findObject({ ...place, key: 'K', versionId: 'old' })).toBeUndefined()
    await lists.replaceObject(current, { owner: null, grants: readable })
    await lists.replaceObject(old, undefined)
    expect(await lists.findObject({ ...place, versionId: 'old' })).toMatchObject({ access: undefined })
    await database.write((tx) => runSql(tx, `delete from object_versions where version_id = 'new'`))
    expect(await allRows(database.read, 'select * from s3_object_access')).toEqual([])
    await expect(lists.replaceObject(current, access)).rejects.toMatchObject({ code: 'NoSuchVersion' })
    await addVersion('marker', -3, 1)
    expect(await lists.findObject(place)).toMatchObject({ versionId: 'marker', isDeleteMarker: true })
  })

  test('owners of versions are looked up only in buckets where others could write', async () => {
    const { database, bucket, start, addVersion } = await setUp()
    await using _ = database
    const lists = await start()
    const [mine, foreign] = [await addVersion('mine', -1), await addVersion('foreign', -2)]
    await database.write(async (tx) => {
      await lists.addToVersion(tx, mine, { owner: null, grants: readable })
      await lists.addToVersion(tx, foreign, { owner: 'x', grants: readable })
    })
    const ids = ['mine', 'foreign', 'absent']
    expect(await lists.ownersOf(bucket, 'versions', ids)).toEqual(new Map())
    await lists.changeBucket(bucket, () => ({ mayHaveOtherOwners: true }))
    expect(await lists.ownersOf(bucket, 'versions', ids)).toEqual(new Map([['foreign', 'x']]))
  })

  test('a version gets the owner and the list of its upload, and an upload without them makes a version with the default', async () => {
    const { database, bucket, start, addVersion } = await setUp()
    await using _ = database
    const lists = await start()
    for (const id of ['listed', 'plain']) {
      await database.write((tx) =>
        runSql(
          tx,
          `insert into uploads (upload_id, bucket_id, key, content_type, created_at, active_at) values (?, ?, 'k', '', 0, 0)`,
          id,
          bucket.id,
        ),
      )
    }
    const access = { owner: 'x', grants: readable }
    await database.write((tx) => lists.addToUpload(tx, 'listed', access))
    const [one, two] = [await addVersion('one', -1), await addVersion('two', -2)]
    await database.write(async (tx) => {
      await lists.copyFromUpload(tx, 'listed', one)
      await lists.copyFromUpload(tx, 'plain', two)
    })
    const find = (versionId: string) => lists.findObject({ bucketId: bucket.id, key: 'k', versionId })
    expect(await find('one')).toMatchObject({ access })
    expect(await find('two')).toMatchObject({ access: undefined })
    await database.write((tx) => runSql(tx, `delete from uploads where upload_id = 'listed'`))
    expect(await allRows(database.read, 'select upload_id from s3_upload_access')).toEqual([])
  })
})
