/** The checks of `svc doctor` as one call for tests. */
import { existsSync, readFileSync } from 'node:fs'
import { type Reader, sqlStatement } from '#kernel'
import type { DoctorCheck, Finding, Resolved, Uses } from '#kernel/system'
import { blobPath } from '../cache/files/cache-paths.ts'
import { checkedBytes, checksumsOf } from '../cache/verification/block-checksums.ts'
import { sumCachedBytes } from '../catalog/cached/cache-entry-store.ts'
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
  'storage.packs',
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
  if (cacheDir !== undefined) findings.push(...(await checksumFindings(read, cacheDir)))
  const recorded = await sumCachedBytes(read)
  if (usedBytes !== undefined && usedBytes !== recorded) findings.push(wrongCount(usedBytes, recorded))
  return findings.map(toMessage)
}

const selectFiles = sqlStatement<object, { blobId: string; epoch: number; checksums: Uint8Array | null }>(
  `select blob_id as "blobId", epoch, block_checksums as checksums from cache_blobs where epoch > 0 and length > ${checkedBytes} and damaged_at is null`,
)

/** I-30: every file of several blocks has the checksums of its bytes, whatever wrote it. */
async function checksumFindings(read: Reader, dir: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { blobId, epoch, checksums } of await read.all(selectFiles, {})) {
    const path = blobPath(dir, blobId, epoch)
    // The check of the files finds missing ones.
    if (!existsSync(path) || (checksums && checksumsOf(readFileSync(path)).equals(checksums))) continue
    const subject = { kind: 'cache file', id: path } as const
    const message = `${path} does not have its recorded checksums`
    findings.push({ severity: 'error', invariant: 'I-30', subject, message, repair: 'compare what wrote it' })
  }
  return findings
}

const pagesMax = 10_000

/** All findings of a check, page by page. */
export async function findingsOf(
  check: DoctorCheck,
  read: Reader,
  services: Resolved<Uses> = {},
  sample?: number,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  let after: string | undefined
  for (let pages = 0; pages < pagesMax; pages++) {
    const signal = new AbortController().signal
    const page = await check.look(services, { read, after, sample, isOnline: true, signal })
    findings.push(...page.findings)
    after = page.next
    if (after === undefined) return findings
  }
  throw new Error(`${check.name} did not end within ${pagesMax} pages`)
}

/** The invariant comes first; `counts` for counters, which have none. */
export const toMessage = ({ invariant = 'counts', message, subject }: Finding): string =>
  `${invariant}: ${message}${subject.kind === 'cache file' || subject.kind === 'cache' ? '' : ` (${subject.kind} ${subject.id})`}`
