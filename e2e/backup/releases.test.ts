/** Data of earlier releases: each folder of `releases` was written by the release whose newest migration of storage it is named after. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import type { S3User } from '../fixtures/s3-client.ts'
import { put, readBack } from './load.ts'

const releases = new URL('./releases/', import.meta.url).pathname
const bucket = 'kept'

interface Written {
  readonly user: S3User
  readonly objects: readonly { readonly key: string; readonly versionId: string; readonly bytes: string }[]
}

test.each(readdirSync(releases))(
  'the data of the release with storage/%s opens: every version reads back, and the copy from before is there',
  async (name) => {
    using home = svcHome()
    const from = join(releases, name)
    const dir = join(home.dir, 'data')
    mkdirSync(join(dir, 'db'), { recursive: true })
    writeFileSync(join(dir, 'db', 'svc.db'), gunzipSync(readFileSync(join(from, 'svc.db.gz'))))
    cpSync(join(from, 'cache'), join(dir, 'cache'), { recursive: true })
    const { user, objects } = JSON.parse(readFileSync(join(from, 'objects.json'), 'utf8')) as Written
    const kept = objects.map(({ bytes, ...version }) => ({ ...version, bytes: Buffer.from(bytes, 'base64') }))
    let [configPath, isMigrated] = ['', false]
    {
      await using gateway = await startServeHere({ dir })
      configPath = gateway.configPath
      isMigrated = gateway.log().includes('database migrated')
      const s3 = gateway.connect(user)
      expect(await readBack(s3, bucket, kept)).toEqual([])
      await expect(s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'hidden' }))).rejects.toMatchObject({ name: 'NoSuchKey' })
      const added = await put(s3, bucket, 'added', Buffer.alloc(1000, name))
      expect(await readBack(s3, bucket, [added])).toEqual([])
    }
    expect(readdirSync(join(dir, 'db')).filter((file) => file.includes('.before-upgrade-'))).toHaveLength(isMigrated ? 1 : 0)
    const doctor = await home.run(['doctor', '--config', configPath, '--local', '--whole', '--only', 'storage,replication,kernel'])
    expect(doctor.stdout).not.toMatch(/\d errors?/)
  },
)
