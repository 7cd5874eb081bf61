/** The stored object that conditional headers are compared with. */
interface StoredState {
  /** Has no quotes. */
  readonly etag: string
  /** Milliseconds UTC; compared in seconds, the resolution of HTTP dates. */
  readonly lastModifiedMs: number
}

export interface ReadConditions {
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
  readonly ifModifiedSince?: string | undefined
  readonly ifUnmodifiedSince?: string | undefined
}

type ConditionResult =
  | { readonly kind: 'proceed' }
  | { readonly kind: 'not-modified' }
  | { readonly kind: 'failed'; readonly condition: string }

const proceed: ConditionResult = { kind: 'proceed' }

/** Precedence of RFC 9110 §13.2.2 as S3 applies it. `now` in milliseconds UTC. */
export function evaluateReadConditions(conditions: ReadConditions, stored: StoredState, now: number): ConditionResult {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions
  if (ifMatch !== undefined) {
    if (!matchesTag(ifMatch, stored.etag)) return { kind: 'failed', condition: 'If-Match' }
  } else if (isModifiedAfter(stored, parseDate(ifUnmodifiedSince)) === true) {
    return { kind: 'failed', condition: 'If-Unmodified-Since' }
  }
  if (ifNoneMatch !== undefined) return matchesTag(ifNoneMatch, stored.etag) ? { kind: 'not-modified' } : proceed
  const since = parseDate(ifModifiedSince)
  if (since === undefined || since > now) return proceed
  return isModifiedAfter(stored, since) ? proceed : { kind: 'not-modified' }
}

/** How If-Range names the stored object: by its exact ETag or by the second of its creation; undefined: not at all (RFC 9110 §13.1.5). */
export function matchIfRange(header: string, { etag, lastModifiedMs }: StoredState): 'etag' | 'second' | undefined {
  const validator = header.trim()
  if (validator === `"${etag}"`) return 'etag'
  return validator === new Date(lastModifiedMs).toUTCString() ? 'second' : undefined
}

export interface WriteConditions {
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
}

type WriteConditionResult =
  | { readonly kind: 'proceed' }
  | { readonly kind: 'failed'; readonly condition: string }
  /** If-Match on a key without a current object. */
  | { readonly kind: 'absent' }

/** `currentEtag`: without quotes; undefined when the key has no current object (a delete marker counts as absent). */
export function evaluateWriteConditions(conditions: WriteConditions, currentEtag: string | undefined): WriteConditionResult {
  const { ifMatch, ifNoneMatch } = conditions
  if (ifMatch !== undefined) {
    if (currentEtag === undefined) return { kind: 'absent' }
    if (!matchesTag(ifMatch, currentEtag)) return { kind: 'failed', condition: 'If-Match' }
  }
  if (ifNoneMatch !== undefined && currentEtag !== undefined && matchesTag(ifNoneMatch, currentEtag)) {
    return { kind: 'failed', condition: 'If-None-Match' }
  }
  return { kind: 'proceed' }
}

/** A header may list several tags, quoted or not; `*` means any. */
function matchesTag(header: string, etag: string): boolean {
  return header.split(',').some((part) => {
    const tag = part.trim()
    return tag === '*' || tag.replace(/^(?:W\/)?"|"$/g, '') === etag
  })
}

/** Returns undefined without a valid date. */
function isModifiedAfter(stored: StoredState, timeMs: number | undefined): boolean | undefined {
  if (timeMs === undefined) return undefined
  return Math.floor(stored.lastModifiedMs / 1000) > Math.floor(timeMs / 1000)
}

function parseDate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}
