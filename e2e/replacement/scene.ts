/** A bucket whose replicas are replaced, and what tests of replacements ask. */
import { createHash, randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import type { Devnet } from '../../devnet/devnet.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { until } from '../fixtures/until.ts'
import { findWrongCopies, type Provenance, waitForCopies } from '../fixtures/verify-copies.ts'

export const testPlugin = fileURLToPath(new URL('../fixtures/replacements-plugin.ts', import.meta.url))

interface Generation {
  readonly id: number
  readonly generation: number
  readonly providerId: string
  readonly state: string
  readonly endCause: string | null
  readonly endEpoch: string | null
}

interface ShownReplacement {
  readonly id: number
  readonly status: string
  readonly phase: string
  readonly waitReason: string | null
  readonly waitMessage: string | null
  readonly lastError: string | null
  readonly failureReason: string | null
  readonly supersededById: number | null
  readonly sourceId: number
  readonly targetId: number
  readonly providerId: string
  readonly terminationEpoch: string | null
  readonly progress: {
    readonly isSeeded: boolean
    readonly total: number
    readonly percent?: number
    readonly byState: Readonly<Record<string, number>>
    readonly nextRetryAtMs: number | null
  }
}

interface Seen {
  readonly slots: readonly { readonly slot: number; readonly currentId: number | null; readonly generations: readonly Generation[] }[]
  readonly replacements: readonly ShownReplacement[]
}

export const look = async (gateway: Gateway, bucket: string): Promise<Seen> =>
  (await gateway.call('GET', `/api/v1/test-replacements/of/${bucket}`)).json

export async function currentOf(gateway: Gateway, bucket: string, slot = 0): Promise<number> {
  const id = (await look(gateway, bucket)).slots.find((one) => one.slot === slot)?.currentId
  if (id == null) throw new Error(`slot ${slot} of ${bucket} has no data set`)
  return id
}

export const confirm = (gateway: Gateway, json: Readonly<Record<string, unknown>>) =>
  gateway.call('POST', '/api/v1/test-replacements', {
    json: { mode: 'automatic', clientRequestId: `request-${randomBytes(4).toString('hex')}`, ...json },
  })

/** Waits until the replacement looks like this, and returns it. */
export async function untilReplacement(
  gateway: Gateway,
  { bucket, id }: { readonly bucket: string; readonly id: number },
  isReached: (seen: ShownReplacement) => boolean,
): Promise<ShownReplacement> {
  let last: unknown
  try {
    return await until(
      `replacement ${id}`,
      async () => {
        const seen = await look(gateway, bucket)
        last = seen
        const found = seen.replacements.find((one) => one.id === id)
        return found && isReached(found) ? found : undefined
      },
      { withinMs: 90_000 },
    )
  } catch (error) {
    throw new Error(`${(error as Error).message}; last: ${JSON.stringify(last)}`, { cause: error })
  }
}

interface KeptObject {
  readonly key: string
  readonly bytes: Buffer
  readonly versionId: string
}

export async function putObjects(
  gateway: Gateway,
  s3: S3Client,
  bucket: string,
  { count, copies }: { readonly count: number; readonly copies: number },
) {
  const kept: KeptObject[] = []
  for (let n = 0; n < count; n++) {
    const bytes = randomBytes(2000 + n)
    const key = `object-${randomBytes(3).toString('hex')}-${n}`
    const { VersionId: versionId = '' } = await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }))
    kept.push({ key, bytes, versionId })
  }
  for (const { versionId } of kept) await waitForCopies(gateway, { bucket, versionId }, { copies })
  return kept
}

export async function createBucket(gateway: Gateway, bucket: string, copies: number): Promise<S3Client> {
  const user = await gateway.createUser()
  const s3 = gateway.connect(user)
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  await gateway.call('PUT', `/api/v1/buckets/${bucket}/copy-policy`, { json: { default_copies: copies, minimum_durable_copies: 1 } })
  return s3
}

/** Every object is readable, and has its copies at providers with its bytes. */
export async function expectWhole(
  { gateway, s3, devnet }: { readonly gateway: Gateway; readonly s3: S3Client; readonly devnet: Devnet },
  bucket: string,
  kept: readonly KeptObject[],
  copies: number,
): Promise<readonly Provenance[]> {
  const found: Provenance[] = []
  for (const { key, bytes, versionId } of kept) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(bytes), key).toBe(true)
    const provenance = await waitForCopies(gateway, { bucket, versionId }, { copies })
    expect(await findWrongCopies(devnet, provenance, createHash('sha256').update(bytes).digest('hex')), key).toEqual([])
    found.push(provenance)
  }
  return found
}
