import type { ObjectVersion } from '#plugins/storage'
import { S3Error } from '../../wire/s3-error.ts'
import type { S3Services } from '../operation.ts'

type Parts = Awaited<ReturnType<S3Services['uploads']['partsOf']>>

interface PartRange {
  /** Both ends inclusive; absent when the part has no bytes. */
  readonly range: { readonly start: number; readonly end: number } | undefined
  readonly length: number
  readonly checksums: Readonly<Record<string, string>>
  /** Absent for an object that was not made of parts. */
  readonly partsCount?: number
}

/**
 * The n-th part in the order of the bytes, from 1. An object that was not made of parts is one part. Throws InvalidPartNumber.
 * `parts`: those of the version.
 */
export function partRange(version: ObjectVersion, parts: Parts, number: number): PartRange {
  const count = Math.max(parts.length, 1)
  if (number > count) throw new S3Error('InvalidPartNumber', { extras: { ActualPartCount: count, PartNumberRequested: number } })
  const part = parts[number - 1]
  if (part === undefined) return { ...bytesOf(0, version.size), checksums: version.headers.checksums }
  const start = parts.slice(0, number - 1).reduce((sum, { size }) => sum + size, 0)
  return { ...bytesOf(start, part.size), checksums: part.checksums, partsCount: count }
}

function bytesOf(start: number, length: number): Pick<PartRange, 'range' | 'length'> {
  return { range: length === 0 ? undefined : { start, end: start + length - 1 }, length }
}
