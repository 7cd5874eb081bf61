/** Data of earlier releases: each folder of `releases` was written by the release whose newest migration of storage it is named after. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { CreateBucketCommand, GetObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { allRows } from '#kernel/testing'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { openReader } from '../fixtures/check-database.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import type { S3User } from '../fixtures/s3-client.ts'
import { put, readBack } from './load.ts'

const releases = new URL('./releases/', import.meta.url).pathname
const bucket = 'kept'

interface Written {
  readonly user: S3User
  readonly objects: readonly { readonly key: string; readonly versionId: string; readonly bytes: string }[]
}

/** Names of tables, indexes and triggers, and the columns of tables. */
async function partsOf(dir: string): Promise<readonly string[]> {
  using database = openReader(dir)
  const rows = await allRows<{ part: string }>(
    database,
    `select m.type || ' ' || m.name || coalesce(' ' || c.name, '') as part from sqlite_master m
     left join pragma_table_info(m.name) c on m.type = 'table' where m.name not like 'sqlite_%' order by 1`,
  )
  return rows.map(({ part }) => part)
}

test.each(readdirSync(releases))(
  'the data of the release with storage/%s opens: every version reads back, its bucket is not packed, a new one is, and the copy from before is there',
  async (name) => {
    using home = svcHome()
    const from = join(releases, name)
    const dir = join(home.dir, 'data')
    for (const made of [join(dir, 'db'), join(home.dir, 'fresh')]) mkdirSync(made, { recursive: true })
    writeFileSync(join(dir, 'db', 'svc.db'), gunzipSync(readFileSync(join(from, 'svc.db.gz'))))
    cpSync(join(from, 'cache'), join(dir, 'cache'), { recursive: true })
    const { user, objects } = JSON.parse(readFileSync(join(from, 'objects.json'), 'utf8')) as Written
    const kept = objects.map(({ bytes, ...version }) => ({ ...version, bytes: Buffer.from(bytes, 'base64') }))
    let [configPath, isMigrated] = ['', false]
    {
      await using gateway = await startServeHere({ dir, settings: { 'packs.default': undefined } })
      configPath = gateway.configPath
      isMigrated = gateway.log().includes('database migrated')
      const s3 = gateway.connect(user)
      expect(await readBack(s3, bucket, kept)).toEqual([])
      await expect(s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'hidden' }))).rejects.toMatchObject({ name: 'NoSuchKey' })
      const added = await put(s3, bucket, 'added', Buffer.alloc(1000, name))
      expect(await readBack(s3, bucket, [added])).toEqual([])
      await s3.send(new CreateBucketCommand({ Bucket: 'new' }))
      const packing = async (name: string) => (await gateway.call('GET', `/api/v1/buckets/${name}`)).json.packing
      expect(await packing(bucket)).toMatchObject({ policy: 'off', waiting: { contents: 0 } })
      await put(s3, 'new', 'small', Buffer.alloc(1000, name))
      expect(await packing('new')).toMatchObject({ policy: 'small', waiting: { contents: 1 } })
      await gateway.call('POST', '/api/v1/packs/seal', { json: { bucket: 'new' } })
      await expect
        .poll(() => packing('new'), { timeout: 20_000 })
        .toMatchObject({ waiting: { contents: 0 }, packs: { count: 1, objects: 1 } })
    }
    expect(readdirSync(join(dir, 'db')).filter((file) => file.includes('.before-upgrade-'))).toHaveLength(isMigrated ? 1 : 0)
    {
      await using fresh = await startServeHere({ dir: join(home.dir, 'fresh') })
      expect(fresh.log()).toContain('is running')
    }
    expect(await partsOf(dir)).toEqual(await partsOf(join(home.dir, 'fresh')))
    const doctor = await home.run(['doctor', '--config', configPath, '--local', '--whole', '--only', 'storage,replication,kernel'])
    expect(doctor.stdout).not.toMatch(/\d errors?/)
  },
)
