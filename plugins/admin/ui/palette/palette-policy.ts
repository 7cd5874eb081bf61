/** What the command palette finds for a text: settings, and objects of a bucket below a prefix. */
import type { Answer } from '@svc/ui-kit'

type Metadata = Answer<'GET /settings'>['metadata']

interface FoundSetting {
  readonly field: string
  readonly label: string
}

/** Settings whose path or label has every word; one letter finds none, because it would find most. */
export function matchSettings(metadata: Metadata, text: string, max: number): readonly FoundSetting[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.join('').length < 2) return []
  const matches = Object.entries(metadata).filter(([field, { label }]) => {
    const named = `${field} ${label}`.toLowerCase()
    return words.every((word) => named.includes(word))
  })
  return matches.slice(0, max).map(([field, { label }]) => ({ field, label }))
}

interface ObjectPlace {
  readonly bucket: string
  readonly prefix: string
}

/** `photos/2026` and `s3://photos/2026` name objects of the bucket photos; undefined without such a bucket. */
export function readObjectPlace(text: string, buckets: readonly { readonly name: string }[]): ObjectPlace | undefined {
  const path = text.trim().replace(/^s3:\/\//, '')
  const slash = path.indexOf('/')
  if (slash <= 0) return undefined
  const bucket = path.slice(0, slash)
  return buckets.some(({ name }) => name === bucket) ? { bucket, prefix: path.slice(slash + 1) } : undefined
}
