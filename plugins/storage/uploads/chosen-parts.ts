/** @walk parts 3: checks the list of parts */
import { createHash } from 'node:crypto'
import type { StoredPart } from '../catalog/uploads/upload-part-store.ts'
import { type CompleteUpload, type NamedPart, uploadLimits } from '../contract.ts'
import { storageErrors } from '../errors.ts'

type Request = Pick<CompleteUpload, 'uploadId' | 'parts' | 'expectedSize' | 'partBytesMin'>

/** The stored parts that a completion lists. Throws the errors of `Uploads.complete` about parts. */
export function chooseParts(
  stored: readonly StoredPart[],
  { uploadId, parts, expectedSize, partBytesMin }: Request,
): readonly StoredPart[] {
  if (parts.length === 0) throw storageErrors.invalid_part({ message: 'the completion lists no parts; list at least one' })
  const byNumber = new Map(stored.map((part) => [part.partNumber, part]))
  requireOrder(parts)
  const chosen = parts.map((part) => choose(byNumber.get(part.partNumber), part, uploadId))
  requireSizes(chosen, partBytesMin ?? uploadLimits.partBytesMin)
  const size = sizeOf(chosen)
  if (expectedSize === undefined || expectedSize === size) return chosen
  throw storageErrors.upload_size_mismatch({
    message: `the parts have ${size} bytes together, not the expected ${expectedSize}; list the stored parts and compare`,
  })
}

export const sizeOf = (parts: readonly Pick<StoredPart, 'size'>[]): number => parts.reduce((sum, { size }) => sum + size, 0)

/** Identifies the list of a completion, so that a repeated one is recognised. */
export function digestOf(parts: readonly NamedPart[]): string {
  const digest = createHash('sha256')
  for (const { partNumber, etag } of parts) digest.update(`${partNumber}:${etag}\n`)
  return digest.digest('hex')
}

function requireOrder(parts: readonly NamedPart[]): void {
  let before = 0
  for (const { partNumber } of parts) {
    if (partNumber <= before) {
      throw storageErrors.invalid_part_order({
        message: `part ${partNumber} is listed after part ${before}; list the parts in ascending order, each once`,
      })
    }
    before = partNumber
  }
}

function choose(stored: StoredPart | undefined, { partNumber, etag, checksums = {} }: NamedPart, uploadId: string): StoredPart {
  const refuse = (problem: string) =>
    storageErrors.invalid_part({
      message: `part ${partNumber} ${problem}; list the stored parts, or upload the part again`,
      details: { uploadId, partNumber, etag },
    })
  if (!stored) throw refuse('is not stored')
  if (stored.etag !== etag) throw refuse(`has the ETag ${stored.etag}, not ${etag}`)
  for (const [name, value] of Object.entries(checksums)) {
    if (stored.checksums[name] !== value) throw refuse(`has another ${name} checksum, or none`)
  }
  return stored
}

function requireSizes(chosen: readonly StoredPart[], bytesMin: number): void {
  const small = chosen.slice(0, -1).find(({ size }) => size < bytesMin)
  if (!small) return
  throw storageErrors.entity_too_small({
    message: `part ${small.partNumber} has ${small.size} bytes; every part but the last needs at least ${bytesMin}: upload larger parts`,
    details: { size: small.size, bytesMin, partNumber: small.partNumber, etag: small.etag },
  })
}
