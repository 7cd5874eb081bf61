/** A gateway client with its own keys: runs one operation at a time and reports lost or wrong data. */
import { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import type { AdminReply } from '../fixtures/admin-calls.ts'
import { type Body, blockBytes, blocksOf, findDifference } from '../fixtures/body.ts'
import { copySourceOf, putInParts } from './in-parts.ts'
import type { KeyHistory, SeenVersion, UnansweredChange } from './key-history.ts'
import type { LiveGateway } from './live-gateway.ts'
import type { Random } from './random.ts'
import { type MakeBody, sizeOfBody } from './sizes.ts'

interface ClientDeps {
  readonly gateway: LiveGateway
  readonly bucket: string
  readonly histories: readonly KeyHistory[]
  readonly random: Random
  readonly makeBody: MakeBody
  /** Is true for copies and uploads in parts. */
  readonly hasParts: boolean
}

export interface ChaosClient {
  readonly problems: readonly string[]
  /** Number of answers per operation. */
  readonly answered: ReadonlyMap<string, number>
  /** Runs one random operation on one of its keys. */
  act(): Promise<void>
  /** Puts the body until it is known to be the current version of its first key. */
  insist(body: Body): Promise<void>
  /** Compares every key with what the gateway lists and serves. Call it after the last kill and fault. */
  verifyAll(): Promise<void>
}

const answerMs = 120_000
/** A read of the largest object waits for providers. */
const readMs = 600_000
const insistMax = 40

/** The request may or may not have taken effect. */
class UnansweredError extends Error {
  override readonly name = 'UnansweredError'
}

const statusOf = (error: unknown): number | undefined =>
  (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode

export function createClient({ gateway, bucket, histories, random, makeBody, hasParts }: ClientDeps): ChaosClient {
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

  const put = async (history: KeyHistory) => putBody(history, await makeBody(random))

  async function putBody(history: KeyHistory, body: Body): Promise<void> {
    await change(history, {
      operation: `put${sizeOfBody(body)}`,
      effect: { kind: 'added', body },
      async send() {
        const input = { Bucket: bucket, Key: history.key, ContentLength: body.length }
        const Body = body.length <= blockBytes ? body.slice(0, body.length) : Readable.from(blocksOf(body), { objectMode: false })
        const { VersionId } = await gateway.s3.send(new PutObjectCommand({ ...input, Body }))
        return () => history.added({ versionId: VersionId ?? '', body })
      },
    })
  }

  async function copy(history: KeyHistory): Promise<void> {
    const source = random.pick(histories)
    const version = source.versions.find(({ body }) => body !== null)
    // A version of the key itself is refused unless it is named.
    if (source.hasUnanswered || !version?.body) return put(history)
    const { body } = version
    await change(history, {
      operation: `copy${sizeOfBody(body)}`,
      effect: { kind: 'added', body },
      async send() {
        const CopySource = copySourceOf(bucket, source.key, version.versionId)
        const { VersionId } = await gateway.s3.send(new CopyObjectCommand({ Bucket: bucket, Key: history.key, CopySource }))
        return () => history.added({ versionId: VersionId ?? '', body })
      },
    })
  }

  async function putUpload(history: KeyHistory): Promise<void> {
    const sources = histories.filter(({ hasUnanswered }) => !hasUnanswered)
    const upload = { gateway, bucket, key: history.key, random, makeBody, sources }
    const { body, problem, outcome, complete } = await putInParts(upload)
    if (problem !== undefined) problems.push(problem)
    countAnswer(`upload ${outcome}`)
    if (!body || !complete) return
    await change(history, {
      operation: `complete${sizeOfBody(body)}`,
      effect: { kind: 'added', body },
      async send() {
        const versionId = await complete()
        return () => history.added({ versionId, body })
      },
    })
  }

  async function putDeleteMarker(history: KeyHistory): Promise<void> {
    await change(history, {
      operation: 'delete',
      effect: { kind: 'added', body: null },
      async send() {
        const { VersionId } = await gateway.s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: history.key }))
        return () => history.added({ versionId: VersionId ?? '', body: null })
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
    if (current.body !== null) return putDeleteMarker(history)
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
    const source = history.versions.slice(1).find(({ body }) => body !== null)
    if (!current || !source || current.body === null) return put(history)
    const { body } = source
    await change(history, {
      operation: 'restore',
      effect: { kind: 'added', body },
      async send() {
        const ids = { version_id: source.versionId, expected_current_version_id: current.versionId }
        const reply = await post('versions/restore', { key: history.key, ...ids })
        // Refused for example when the current version has the same bytes.
        return reply.status < 300 ? () => history.added({ versionId: reply.json.version_id, body }) : undefined
      },
    })
  }

  /** The difference from the expected body, which is null for a missing one; '' for none. Undefined when the gateway fails temporarily. */
  async function compare(key: string, expected: Body | null, { versionId, isRange }: Reading): Promise<string | undefined> {
    const range = isRange && expected ? rangeOf(expected, random) : undefined
    const Range = range && `bytes=${range.start}-${range.end - 1}`
    try {
      const { Body: received } = await gateway.s3.send(new GetObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId, Range }))
      return expected === null ? 'present, but it was deleted' : ((await findDifference(expected, received as Readable, range)) ?? '')
    } catch (error) {
      if (statusOf(error) !== 404) return undefined
      return expected === null ? '' : 'missing'
    }
  }

  async function verify(history: KeyHistory, versionId: string, body: Body): Promise<void> {
    for (const isRange of [true, false]) {
      const read = () => compare(history.key, body, { versionId, isRange })
      const difference = await gateway.until(`the bytes of ${history.key}`, read, { withinMs: readMs })
      if (difference !== '') problems.push(`version ${versionId} of ${history.key} is ${difference}`)
    }
  }

  async function get(history: KeyHistory): Promise<void> {
    const isRange = random.chance(0.3)
    const difference = await compare(history.key, history.current?.body ?? null, { isRange })
    if (difference === undefined) return
    countAnswer(isRange ? 'get range' : 'get')
    if (difference !== '') problems.push(`${history.key} was read as ${difference}`)
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
      problems.push(...history.reconcile(await gateway.until(`a listing of ${history.key}`, list, { withinMs: answerMs })))
    } catch (error) {
      throw new Error(`${(error as Error).message}: ${last}`, { cause: error })
    }
  }

  const operations = [put, put, put, put, get, get, putDeleteMarker, removeVersion, deletePermanently, restore]
  if (hasParts) operations.push(copy, copy, putUpload, putUpload)
  return {
    problems,
    answered,
    async act() {
      const history = random.pick(histories)
      if (history.hasUnanswered) await reconcile(history)
      await random.pick(operations)(history)
    },
    async insist(body) {
      const [history] = histories
      if (!history) return
      for (let puts = 0; puts < insistMax && history.current?.body !== body; puts++) {
        await putBody(history, body)
        if (history.hasUnanswered) await reconcile(history)
      }
      if (history.current?.body !== body) problems.push(`${history.key} of ${body.length} bytes was not stored after ${insistMax} puts`)
    },
    async verifyAll() {
      for (const history of histories) {
        await reconcile(history)
        for (const { versionId, body } of history.versions) if (body !== null) await verify(history, versionId, body)
      }
    },
  }
}

interface Reading {
  readonly versionId?: string
  readonly isRange: boolean
}

/** The end is exclusive. Undefined for an empty body. */
function rangeOf({ length }: Body, random: Random): { readonly start: number; readonly end: number } | undefined {
  if (length === 0) return undefined
  const start = random.below(length)
  return { start, end: start + 1 + random.below(Math.min(length - start, 2 * blockBytes)) }
}

interface Change {
  readonly operation: string
  /** The possible effect when no answer arrives. */
  readonly effect: UnansweredChange
  /** Resolves with a function that records the change, or with undefined when the gateway refused it. */
  send(): Promise<(() => void) | undefined>
}
