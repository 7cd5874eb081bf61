/** Backups of a gateway at random moments, while clients put, overwrite and delete objects. */
import { randomBytes, randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, DeleteObjectCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import { startServe } from '../fixtures/gateways/serve-process.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'

export interface Acknowledged {
  readonly key: string
  readonly versionId: string
  readonly bytes: Buffer
}

export async function put(s3: S3Client, bucket: string, key: string, bytes: Buffer): Promise<Acknowledged> {
  const { VersionId: versionId = '' } = await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }))
  return { key, versionId, bytes }
}

/** Keys and versions that do not read back with their bytes. */
export async function readBack(s3: S3Client, bucket: string, objects: readonly Acknowledged[]): Promise<readonly string[]> {
  const lost: string[] = []
  for (const { key, versionId, bytes } of objects) {
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }))
      if (!Buffer.from((await Body?.transformToByteArray()) ?? []).equals(bytes)) lost.push(`${key} ${versionId}: other bytes`)
    } catch (error) {
      lost.push(`${key} ${versionId}: ${(error as Error).message}`)
    }
  }
  return lost
}

const bucket = 'busy'
const clients = 4
const keysOfClient = 6
/** More are deleted, the oldest first. */
const versionsOfClient = 60
const pauseMs = 80

interface Load {
  /** Versions that exist: acknowledged, and no deletion of them was requested. */
  readonly kept: Map<string, Acknowledged>
  stop(): Promise<void>
}

/** Every client puts its keys again and again and deletes some versions for good. Small objects are in the database, others in files. */
function startLoad(s3: S3Client): Load {
  const kept = new Map<string, Acknowledged>()
  const stop = new AbortController()
  const run = async (client: number) => {
    for (let turn = 0; !stop.signal.aborted; turn++) {
      const made = await put(
        s3,
        bucket,
        `client-${client}-${turn % keysOfClient}`,
        randomBytes(randomInt(2) === 0 ? 2000 : randomInt(17_000, 80_000)),
      )
      kept.set(made.versionId, made)
      // The test measures no speed.
      await sleep(pauseMs)
      const [victim, ...others] = [...kept.values()].filter(({ key }) => key.startsWith(`client-${client}-`))
      if (!victim || (turn % 5 !== 4 && others.length < versionsOfClient)) continue
      kept.delete(victim.versionId)
      await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: victim.key, VersionId: victim.versionId }))
    }
  }
  const ended = Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  return {
    kept,
    async stop() {
      stop.abort()
      await ended
    },
  }
}

interface LoadReport {
  readonly lost: readonly string[]
  readonly checked: number
}

/** The backups share one directory, so that all but the first are incremental. */
export async function backUpUnderLoad({ moments }: { readonly moments: number }): Promise<LoadReport> {
  using home = svcHome()
  using source = temporaryDirectory()
  const dir = join(home.dir, 'backup')
  const lost: string[] = []
  let checked = 0
  await using gateway = await startServe({ dir: source.path })
  const user = await gateway.createUser()
  const s3 = gateway.connect(user)
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  const load = startLoad(s3)
  for (let moment = 0; moment < moments; moment++) {
    await sleep(randomInt(100, 1000))
    const before = [...load.kept.values()]
    const made = await home.run(['backup', dir, '--config', gateway.configPath, '--with-secrets'])
    if (made.code !== 0) throw new Error(`moment ${moment}: svc backup ended with ${made.code}: ${made.stderr}`)
    // Deleted since: the backup may have either state.
    const expected = before.filter(({ versionId }) => load.kept.has(versionId))
    const to = join(home.dir, `restored-${moment}`)
    const restored = await home.run(['restore', dir, '--to', to])
    if (restored.code !== 0) throw new Error(`moment ${moment}: svc restore ended with ${restored.code}: ${restored.stderr}`)
    await using again = await startServeHere({ dir: to })
    lost.push(...(await readBack(again.connect(user), bucket, expected)))
    checked += expected.length
  }
  await load.stop()
  return { lost, checked }
}
