/** A gateway client with its own keys: runs one operation at a time and reports lost or wrong data. */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import type { AdminReply } from '../fixtures/admin-calls.ts'
import { until } from '../fixtures/until.ts'
import type { KeyHistory, SeenVersion, UnansweredChange } from './key-history.ts'
import type { LiveGateway } from './live-gateway.ts'
import type { Random } from './random.ts'

interface ClientDeps {
  readonly gateway: LiveGateway
  readonly bucket: string
  readonly histories: readonly KeyHistory[]
  readonly random: Random
  /** Bytes that clients put repeatedly, so that versions and keys share contents. */
  readonly shared: readonly Buffer[]
}

interface ChaosClient {
  readonly problems: readonly string[]
  /** Number of answers per operation. */
  readonly answered: ReadonlyMap<string, number>
  /** Runs one random operation on one of its keys. */
  act(): Promise<void>
  /** Compares every key with what the gateway lists and serves. Call it after the last kill and fault. */
  verifyAll(): Promise<void>
}

/** Object sizes in bytes: the allowed minimum, one page, and more than one body chunk. */
const sizes = [127, 128, 1000, 4096, 65_537, 150_000]
const sharedChance = 0.25
/** Includes a restart after a kill. */
const answerMs = 120_000

/** The request may or may not have taken effect. */
class UnansweredError extends Error {
  override readonly name = 'UnansweredError'
}

const statusOf = (error: unknown): number | undefined =>
  (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode

export function createClient({ gateway, bucket, histories, random, shared }: ClientDeps): ChaosClient {
  const problems: string[] = []
  const answered = new Map<string, number>()
  const countAnswer = (operation: string) => answered.set(operation, (answered.get(operation) ?? 0) + 1)

  /** Runs a change. A 4xx must change nothing; after any other failure the change may have taken effect. */
  async function change(history: KeyHistory, { operation, effect, send }: Change): Promise<void> {
    try {
      const apply = await send()
      apply?.()
      countAnswer(apply ? operation : `${operation} refused`)
    } catch (error) {
      const status = statusOf(error)
      if (status !== undefined && status < 500)
        problems.push(`${operation} of ${history.key} was refused with ${status}: ${(error as Error).message}`)
      else history.recordUnanswered(effect)
    }
  }

  const post = async (path: string, json: object): Promise<AdminReply> => {
    const reply = await gateway.process.call('POST', `/api/v1/buckets/${bucket}/objects/${path}`, { json })
    if (reply.status >= 500) throw new UnansweredError(`${reply.status} ${reply.text}`)
    return reply
  }

  async function put(history: KeyHistory): Promise<void> {
    const bytes = random.chance(sharedChance) ? random.pick(shared) : random.bytes(random.pick(sizes))
    await change(history, {
      operation: 'put',
      effect: { kind: 'added', bytes },
      async send() {
        const { VersionId } = await gateway.s3.send(new PutObjectCommand({ Bucket: bucket, Key: history.key, Body: bytes }))
        return () => history.added({ versionId: VersionId ?? '', bytes })
      },
    })
  }

  async function putDeleteMarker(history: KeyHistory): Promise<void> {
    await change(history, {
      operation: 'delete',
      effect: { kind: 'added', bytes: null },
      async send() {
        const { VersionId } = await gateway.s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: history.key }))
        return () => history.added({ versionId: VersionId ?? '', bytes: null })
      },
    })
  }

  async function removeVersion(history: KeyHistory): Promise<void> {
    if (history.versions.length === 0) return put(history)
    const { versionId } = random.pick(history.versions)
    await change(history, {
      operation: 'delete version',
      effect: { kind: 'removed', versionIds: [versionId] },
      async send() {
        await gateway.s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: history.key, VersionId: versionId }))
        return () => history.removed([versionId])
      },
    })
  }

  async function deletePermanently(history: KeyHistory): Promise<void> {
    const { current } = history
    if (!current) return put(history)
    if (current.bytes !== null) return putDeleteMarker(history)
    const versionIds = history.versions.map(({ versionId }) => versionId)
    await change(history, {
      operation: 'permanent delete',
      effect: { kind: 'removed', versionIds },
      async send() {
        const reply = await post('deleted/permanent-delete', { key: history.key, delete_marker_version_id: current.versionId })
        // Refused during active storage work, and for markers without versions.
        return reply.status < 300 ? () => history.removed(versionIds) : undefined
      },
    })
  }

  async function restore(history: KeyHistory): Promise<void> {
    const { current } = history
    const source = history.versions.slice(1).find(({ bytes }) => bytes !== null)
    if (!current || !source || current.bytes === null) return put(history)
    const { bytes } = source
    await change(history, {
      operation: 'restore',
      effect: { kind: 'added', bytes },
      async send() {
        const ids = { version_id: source.versionId, expected_current_version_id: current.versionId }
        const reply = await post('versions/restore', { key: history.key, ...ids })
        // Refused for example when the current version has the same bytes.
        return reply.status < 300 ? () => history.added({ versionId: reply.json.version_id, bytes }) : undefined
      },
    })
  }

  /** Undefined when the gateway fails temporarily. */
  async function read(key: string, versionId?: string): Promise<Buffer | 'missing' | undefined> {
    try {
      const { Body } = await gateway.s3.send(new GetObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    } catch (error) {
      return statusOf(error) === 404 ? 'missing' : undefined
    }
  }

  async function get(history: KeyHistory): Promise<void> {
    const { current } = history
    const found = await read(history.key)
    if (found === undefined) return
    countAnswer('get')
    const expected = current?.bytes ?? 'missing'
    const isRight = expected === 'missing' || found === 'missing' ? found === expected : found.equals(expected)
    if (!isRight) problems.push(`${history.key} was read as ${describe(found)} instead of ${describe(expected)}`)
  }

  async function listVersions(key: string): Promise<readonly SeenVersion[]> {
    const page: ListObjectVersionsCommandOutput = await gateway.s3.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: key }))
    if (page.IsTruncated) throw new Error(`${key} has more versions than one page`)
    const isOurs = ({ Key }: { readonly Key?: string | undefined }) => Key === key
    const data = (page.Versions ?? []).filter(isOurs).map((version) => ({ ...version, isDeleteMarker: false, etag: version.ETag ?? '' }))
    const markers = (page.DeleteMarkers ?? []).filter(isOurs).map((version) => ({ ...version, isDeleteMarker: true, etag: '' }))
    // Merges both lists newest first: version ids ascend with time.
    return [...data, ...markers]
      .map(({ VersionId = '', isDeleteMarker, etag }) => ({ versionId: VersionId, isDeleteMarker, etag: etag.replaceAll('"', '') }))
      .sort((a, b) => (a.versionId < b.versionId ? 1 : -1))
  }

  async function reconcile(history: KeyHistory): Promise<void> {
    let last: unknown
    const list = () =>
      listVersions(history.key).catch((error: unknown) => {
        last = error
        return undefined
      })
    try {
      problems.push(...history.reconcile(await until(`a listing of ${history.key}`, list, { withinMs: answerMs })))
    } catch (error) {
      throw new Error(`${(error as Error).message}: ${last}`, { cause: error })
    }
  }

  const operations = [put, put, put, put, get, get, putDeleteMarker, removeVersion, deletePermanently, restore]
  return {
    problems,
    answered,
    async act() {
      const history = random.pick(histories)
      if (history.hasUnanswered) await reconcile(history)
      await random.pick(operations)(history)
    },
    async verifyAll() {
      for (const history of histories) {
        await reconcile(history)
        for (const { versionId, bytes } of history.versions) {
          if (bytes === null) continue
          const found = await until(`the bytes of ${history.key}`, () => read(history.key, versionId))
          if (found === 'missing' || !found.equals(bytes)) problems.push(`version ${versionId} of ${history.key} is ${describe(found)}`)
        }
      }
    },
  }
}

interface Change {
  readonly operation: string
  /** The possible effect when no answer arrives. */
  readonly effect: UnansweredChange
  /** Resolves with a function that records the change, or with undefined when the gateway refused it. */
  send(): Promise<(() => void) | undefined>
}

const describe = (found: Buffer | 'missing') =>
  found === 'missing' ? 'missing' : `${found.length} bytes that begin with ${found.toString('hex', 0, 8)}`
