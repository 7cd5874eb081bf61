/** Checksums that are stored with a version: base64 by algorithm. */
type StoredChecksums = Readonly<Record<string, string>>

export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE'

/** A composite checksum is the checksum of those of the parts, with `-` and the number of parts. Base64 has no `-`. */
export function checksumTypeOf(value: string): ChecksumType {
  return value.includes('-') ? 'COMPOSITE' : 'FULL_OBJECT'
}

/** Response headers. `whole`: the checksums of the object when the others are those of a part, which has the type of its object. */
export function checksumHeaders(checksums: StoredChecksums, whole: StoredChecksums = checksums): Record<string, string> {
  const headers: Record<string, string> = {}
  const [ofObject] = Object.values(whole)
  for (const [algorithm, value] of Object.entries(checksums)) {
    headers[`x-amz-checksum-${algorithm}`] = value
    headers['x-amz-checksum-type'] = checksumTypeOf(ofObject ?? value)
  }
  return headers
}
