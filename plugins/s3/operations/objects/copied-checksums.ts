import { untilAborted } from '#kernel'
import { type BucketRef, type ChecksumAlgorithm, type ObjectVersion, startChecksum } from '#plugins/storage'
import { crcAlgorithms } from '../../wire/checksum-algorithms.ts'
import { combineCrcs } from '../../wire/combine-crc.ts'
import { checksumTypeOf } from '../../wire/stored-checksums.ts'
import type { S3Services } from '../operation.ts'

interface CopiedFrom {
  readonly bucket: BucketRef
  readonly key: string
  readonly version: ObjectVersion
}

interface ChecksumDeps {
  readonly services: Pick<S3Services, 'objects' | 'uploads'>
  /** Ends the reading of the bytes. */
  readonly signal: AbortSignal
}

/** Checksums of a copy, base64 by algorithm: those of the source, or the one of the requested algorithm over all bytes. */
export async function copiedChecksums(
  source: CopiedFrom,
  algorithm: ChecksumAlgorithm | undefined,
  deps: ChecksumDeps,
): Promise<Readonly<Record<string, string>>> {
  const { checksums } = source.version.headers
  if (algorithm === undefined) return checksums
  const known = checksums[algorithm]
  if (known !== undefined && checksumTypeOf(known) === 'FULL_OBJECT') return { [algorithm]: known }
  const digest = (await combinedFromParts(source, algorithm, deps)) ?? (await readThrough(source, algorithm, deps))
  return { [algorithm]: digest.toString('base64') }
}

/** Returns undefined when the parts have no such checksum, or it cannot be combined. */
async function combinedFromParts(
  { bucket, key, version }: CopiedFrom,
  algorithm: ChecksumAlgorithm,
  { services: { uploads } }: ChecksumDeps,
): Promise<Buffer | undefined> {
  const crc = crcAlgorithms.find((one) => one === algorithm)
  if (crc === undefined) return undefined
  const parts = await uploads.partsOf({ bucket, key, versionId: version.versionId })
  const crcs = parts.flatMap(({ size, checksums }) => {
    const value = checksums[crc]
    return value === undefined ? [] : [{ size, digest: Buffer.from(value, 'base64') }]
  })
  return parts.length > 0 && crcs.length === parts.length ? combineCrcs(crc, crcs) : undefined
}

async function readThrough({ bucket, key, version }: CopiedFrom, algorithm: ChecksumAlgorithm, deps: ChecksumDeps): Promise<Buffer> {
  const { services, signal } = deps
  const running = await startChecksum(algorithm)
  await using opened = await services.objects.open(bucket, key, version.versionId)
  for await (const bytes of untilAborted(opened.read(), signal)) running.update(bytes)
  return running.digest()
}
