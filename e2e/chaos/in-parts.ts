/** An upload in parts: its parts are sent until they are answered, then it is completed, aborted or left open. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { type Body, joined, sliceOf } from '../fixtures/body.ts'
import type { KeyHistory } from './key-history.ts'
import type { LiveGateway } from './live-gateway.ts'
import type { Random } from './random.ts'
import { type MakeBody, makeBody } from './sizes.ts'

interface UploadDeps {
  readonly gateway: LiveGateway
  readonly bucket: string
  readonly key: string
  readonly random: Random
  readonly makeBody: MakeBody
  /** Versions that parts may be copied from; they do not change while the clients work. */
  readonly sources: readonly KeyHistory[]
}

interface UploadOutcome {
  readonly outcome: 'sent' | 'aborted' | 'left open' | 'unanswered'
  readonly problem?: string
  /** Only of an upload that is to be completed. */
  readonly body?: Body
  /** Resolves with the version id. */
  complete?(): Promise<string>
}

/** Minimum of all parts but the last, as in S3. */
const partBytesMin = 5 * 1024 * 1024
const partsMax = 3
const attemptsMax = 60
const pauseMs = 500

export const copySourceOf = (bucket: string, key: string, versionId: string): string =>
  `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}?versionId=${encodeURIComponent(versionId)}`

export async function putInParts(deps: UploadDeps): Promise<UploadOutcome> {
  const { gateway, bucket, key, random } = deps
  const place = { Bucket: bucket, Key: key }
  // The upload may exist without an answer: it is then left open.
  const created = await gateway.s3.send(new CreateMultipartUploadCommand(place)).catch(() => undefined)
  const UploadId = created?.UploadId
  if (UploadId === undefined) return { outcome: 'unanswered' }
  const parts: { readonly body: Body; readonly ETag: string; readonly PartNumber: number }[] = []
  for (let number = 1, count = 1 + random.below(partsMax); number <= count; number++) {
    const part = await planPart(deps, number === count)
    const sent = await sendPart(gateway, { ...place, UploadId, PartNumber: number }, part)
    if (typeof sent !== 'object') return { outcome: 'left open', ...(sent && { problem: `part ${number} of ${key}: ${sent}` }) }
    parts.push({ body: part.body, ETag: sent.etag, PartNumber: number })
  }
  const end = random.next()
  if (end < 0.2) return { outcome: 'left open' }
  if (end < 0.4) {
    const aborted = await gateway.s3.send(new AbortMultipartUploadCommand({ ...place, UploadId })).catch(() => undefined)
    return { outcome: aborted ? 'aborted' : 'unanswered' }
  }
  const Parts = parts.map(({ ETag, PartNumber }) => ({ ETag, PartNumber }))
  return {
    outcome: 'sent',
    body: joined(parts.map(({ body }) => body)),
    async complete() {
      const request = new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts } })
      return (await gateway.s3.send(request)).VersionId ?? ''
    },
  }
}

interface PlannedPart {
  readonly body: Body
  readonly copiedFrom?: { readonly source: string; readonly range: string }
}

async function planPart({ bucket, random, makeBody: make, sources }: UploadDeps, isLast: boolean): Promise<PlannedPart> {
  if (!isLast) return { body: await makeBody(random, partBytesMin + random.below(1024 * 1024)) }
  const source = random.pick(sources.length > 0 ? sources : [undefined])
  const version = source?.versions.find(({ body }) => body !== null && body.length > 0)
  if (!source || !version?.body || random.chance(0.5)) return { body: await make(random) }
  const start = random.below(version.body.length)
  const end = start + 1 + random.below(Math.min(version.body.length - start, partBytesMin))
  const copiedFrom = { source: copySourceOf(bucket, source.key, version.versionId), range: `bytes=${start}-${end - 1}` }
  return { body: await sliceOf(version.body, start, end), copiedFrom }
}

interface PartPlace {
  readonly Bucket: string
  readonly Key: string
  readonly UploadId: string
  readonly PartNumber: number
}

/** A part may be sent again. Returns a problem, or undefined when it was never answered. */
async function sendPart(
  gateway: LiveGateway,
  place: PartPlace,
  { body, copiedFrom }: PlannedPart,
): Promise<{ readonly etag: string } | string | undefined> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    try {
      const etag = copiedFrom
        ? (await gateway.s3.send(new UploadPartCopyCommand({ ...place, CopySource: copiedFrom.source, CopySourceRange: copiedFrom.range })))
            .CopyPartResult?.ETag
        : (await gateway.s3.send(new UploadPartCommand({ ...place, Body: body.slice(0, body.length) }))).ETag
      return etag === `"${body.etag}"` ? { etag } : `has the ETag ${etag} instead of ${body.etag}`
    } catch (error) {
      const status = (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode
      if (status !== undefined && status < 500) return `refused with ${status}: ${(error as Error).message}`
      await sleep(pauseMs)
    }
  }
  return undefined
}
