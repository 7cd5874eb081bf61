/** Files that failed a verification: marked ones in the cache, and those in the quarantine, which may be intact. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Reader } from '#kernel'
import { defineDoctorCheck, type Finding, type LookPage } from '#kernel/system'
import { quarantineFolder } from '../cache/damage/quarantine.ts'
import { blobPath } from '../cache/files/cache-paths.ts'
import { isInDatabase } from '../catalog/cached/cache-bytes-store.ts'
import { type QuarantinedFile, quarantinedAfter } from '../catalog/cached/quarantine-store.ts'
import { cacheSection } from '../settings.ts'
import { type MarkedFile, markedFilesAfter, ownerOf } from './damaged-files-store.ts'
import { fixNames } from './fix-names.ts'
import { sha256Of } from './inspect-file.ts'

const markedPerPage = 500
const quarantinedPerPage = 20

export const damagedFilesCheck = defineDoctorCheck({
  name: 'storage.damaged-files',
  title: 'Cached files that are kept although they are missing or have other bytes',
  proves: ['I-37'],
  cost: 'quick',
  uses: { settings: cacheSection.settings },
  async look({ settings }, { read, after = '' }): Promise<LookPage> {
    const files = await markedFilesAfter(read, after, markedPerPage)
    const last = files.length === markedPerPage ? files.at(-1) : undefined
    const findings = files.map((file) => toMarkedFinding(resolve(settings.dir), file))
    return { findings, compared: files.length, ...(last && { next: last.blobId }) }
  },
})

function toMarkedFinding(dir: string, file: MarkedFile): Finding {
  const { contentId, blobId, epoch, bucket, key, readableCopies } = file
  const hasCopy = readableCopies > 0
  const inDatabase = isInDatabase(file)
  const what = inDatabase ? `the content in the database with the blob ${blobId}` : blobPath(dir, blobId, epoch)
  const restore = inDatabase
    ? 'Restore a backup of the database'
    : 'Restore the file from a backup of the cache and run svc doctor --fix, which verifies it'
  return {
    severity: hasCopy ? 'warning' : 'error',
    invariant: 'I-37',
    subject: { kind: 'cache file', id: blobId, bucket, ...(key !== null && { key }) },
    message: `${what} is missing or has other bytes than were uploaded; ${hasCopy ? 'reads use a provider' : 'no provider has a copy, and reads are refused'}`,
    repair: `${restore}, or upload the object again`,
    fix: { name: fixNames.recheckFile, target: `${contentId}/${blobId}` },
  }
}

export const quarantineCheck = defineDoctorCheck({
  name: 'storage.quarantine',
  title: 'Files that were removed from the cache after a failed verification, against their SHA-256: intact ones can be brought back',
  proves: [],
  cost: 'quick',
  uses: { settings: cacheSection.settings },
  async look({ settings }, { read, after = '', signal }): Promise<LookPage> {
    const dir = resolve(settings.dir)
    const files = await quarantinedAfter(read, after, quarantinedPerPage)
    const findings: Finding[] = []
    for (const file of files) {
      const finding = await toQuarantineFinding(read, dir, { file, signal })
      if (finding) findings.push(finding)
    }
    const last = files.length === quarantinedPerPage ? files.at(-1) : undefined
    return { findings, compared: files.length, ...(last && { next: last.blobId }) }
  },
})

interface Quarantined {
  readonly file: QuarantinedFile
  readonly signal: AbortSignal
}

/** Returns nothing when the file is damaged, or its content is cached again or deleted. */
async function toQuarantineFinding(read: Reader, dir: string, { file, signal }: Quarantined): Promise<Finding | undefined> {
  const owner = await ownerOf(read, file.contentId)
  if (!owner || owner.isCached || file.sha256 === null) return undefined
  let place: string | undefined
  for (const path of [join(dir, quarantineFolder, file.blobId), blobPath(dir, file.blobId, file.epoch)])
    if (existsSync(path) && (await sha256Of(path, signal)) === file.sha256) place ??= path
  if (place === undefined) return undefined
  return {
    severity: owner.readableCopies > 0 ? 'warning' : 'error',
    subject: { kind: 'cache file', id: file.blobId, bucket: owner.bucket, ...(owner.key !== null && { key: owner.key }) },
    message: `${place} was removed from the cache after a failed verification, but has the right bytes now`,
    repair: 'Check memory, cables and controllers of this machine, and run svc doctor --fix, which brings the file back',
    fix: { name: fixNames.restoreFile, target: file.blobId },
  }
}
