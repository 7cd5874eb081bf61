/** The checks of `svc doctor` as one call for tests. */
import type { Reader } from '#kernel'
import type { DoctorCheck, Finding } from '#kernel/system'
import { sumCachedBytes } from '../catalog/cache-entry-store.ts'
import { wrongCount } from '../doctor/cache-checks.ts'
import { storageChecks } from '../doctor/checks.ts'

export interface CacheState {
  /** Cache folder: every present entry must have its files with the recorded length. */
  readonly cacheDir?: string
  /** Used bytes as counted by the running cache (I-23). */
  readonly usedBytes?: number
}

const ruleChecks = [
  'storage.deleted-buckets',
  'storage.objects',
  'storage.composites',
  'storage.uploads',
  'storage.counts',
  'storage.cached-contents',
]

/** Checks the rows of storage in an idle database. Returns a message per finding; empty when all invariants hold. */
export async function checkInvariants(read: Reader, { cacheDir, usedBytes }: CacheState = {}): Promise<string[]> {
  const findings: Finding[] = []
  for (const check of storageChecks) {
    if (ruleChecks.includes(check.name)) findings.push(...(await findingsOf(check, read)))
    if (check.name === 'storage.cache-files' && cacheDir !== undefined) {
      findings.push(...(await findingsOf(check, read, { settings: { dir: cacheDir } })))
    }
  }
  const recorded = await sumCachedBytes(read)
  if (usedBytes !== undefined && usedBytes !== recorded) findings.push(wrongCount(usedBytes, recorded))
  return findings.map(toMessage)
}

const pagesMax = 10_000

/** All findings of a check, page by page. */
export async function findingsOf(check: DoctorCheck, read: Reader, services: unknown = {}, sample?: number): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  let after: string | undefined
  for (let pages = 0; pages < pagesMax; pages++) {
    const signal = new AbortController().signal
    const page = await check.look(services as never, { read, after, sample, isOnline: true, signal })
    findings.push(...page.findings)
    after = page.next
    if (after === undefined) return findings
  }
  throw new Error(`${check.name} did not end within ${pagesMax} pages`)
}

/** The invariant comes first; `counts` for counters, which have none. */
export const toMessage = ({ invariant = 'counts', message, subject }: Finding): string =>
  `${invariant}: ${message}${subject.kind === 'cache file' || subject.kind === 'cache' ? '' : ` (${subject.kind} ${subject.id})`}`
