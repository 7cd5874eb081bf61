/** Compares the cached bytes and their accounting with the rows. */
import { resolve } from 'node:path'
import { clock } from '#kernel'
import { defineDoctorCheck, type Finding, type LookPage } from '#kernel/system'
import { sumCachedBytes } from '../catalog/cached/cache-entry-store.ts'
import { cacheGauge } from '../contract.ts'
import { cacheSection } from '../settings.ts'
import { type RecordedFile, recordedFilesAfter, someRecordedFiles } from './cache-files-store.ts'
import { findUnusableFolders, unusableFolders } from './cache-folders.ts'
import { byteProblem, lengthProblem, toFileFinding } from './inspect-file.ts'
import { findStrays } from './stray-files.ts'

const filesPerPage = 500
const hashedFilesPerPage = 100
/** A page of hashing ends after the file that exceeds this. */
const hashedBytesPerPage = 512 * 1024 ** 2

export const cacheFilesCheck = defineDoctorCheck({
  name: 'storage.cache-files',
  title: 'Rows of cached bytes against the files and the bytes in the database: present, with the recorded length',
  proves: ['I-01', 'I-03'],
  cost: 'quick',
  uses: { settings: cacheSection.settings },
  async look({ settings }, { read, after = '' }): Promise<LookPage> {
    const dir = resolve(settings.dir)
    const files = await recordedFilesAfter(read, after, filesPerPage)
    const findings = after === '' ? [...(await findUnusableFolders(read, dir))] : []
    const unusable = await unusableFolders({ read, dir }, files)
    const comparable = files.filter(({ epoch }) => !unusable.has(epoch))
    for (const file of comparable) {
      const problem = await lengthProblem(dir, file)
      const finding = problem === undefined ? undefined : await toFileFinding(read, dir, file, problem)
      if (finding) findings.push(finding)
    }
    const last = files.length === filesPerPage ? files.at(-1) : undefined
    return { findings, compared: comparable.length, ...(last && { next: last.blobId }) }
  },
})

export const strayFilesCheck = defineDoctorCheck({
  name: 'storage.stray-files',
  title: 'Files of the cache without a row, which only take space',
  proves: [],
  cost: 'quick',
  uses: { settings: cacheSection.settings, clock },
  look: ({ settings, clock }, look) => findStrays({ ...look, dir: resolve(settings.dir), clock }),
})

export const cacheBytesCheck = defineDoctorCheck({
  name: 'storage.cache-bytes',
  title: 'Cached bytes, of files and in the database, against the recorded SHA-256',
  proves: ['I-30'],
  cost: 'whole',
  uses: { settings: cacheSection.settings },
  async look({ settings }, { read, after = '', sample, signal }): Promise<LookPage> {
    const dir = resolve(settings.dir)
    const isWhole = sample === undefined
    const files = isWhole ? await recordedFilesAfter(read, after, hashedFilesPerPage) : await someRecordedFiles(read, sample)
    const [unusable] = (await unusableFolders({ read, dir }, files)).values()
    if (unusable) throw new Error(`${unusable.path} ${unusable.problem}; storage.cache-files says how to repair it`)
    const findings: Finding[] = []
    let hashed = 0
    let last: RecordedFile | undefined
    let compared = 0
    for (const file of files) {
      const problem = await byteProblem({ read, dir }, file, signal)
      const finding = problem === undefined ? undefined : await toFileFinding(read, dir, file, problem)
      if (finding) findings.push(finding)
      last = file
      compared += 1
      hashed += file.length
      if (hashed >= hashedBytesPerPage) break
    }
    const isEnd = !isWhole || last === undefined || (last === files.at(-1) && files.length < hashedFilesPerPage)
    return { findings, compared, ...(!isEnd && last && { next: last.blobId }) }
  },
})

const looksMax = 5
const betweenLooksMs = 200

export const cacheAccountingCheck = defineDoctorCheck({
  name: 'storage.cache-accounting',
  title: 'Used bytes that the running cache counts against its rows, and its capacity',
  proves: ['I-23'],
  cost: 'quick',
  needs: 'gateway',
  uses: { cacheGauge, clock },
  async look({ cacheGauge, clock }, { read, signal }): Promise<LookPage> {
    const differences = new Set<number>()
    let counted = 0
    // A commit changes the rows shortly before the count: only a difference that stays is a fault.
    for (let looks = 0; looks < looksMax; looks++) {
      counted = cacheGauge.stats().usedBytes
      const difference = counted - (await sumCachedBytes(read))
      if (difference === 0) return { findings: overCapacity(cacheGauge.stats()), compared: 1 }
      differences.add(difference)
      await clock.sleep(betweenLooksMs, signal)
    }
    // More uploads run than can be compared at rest.
    if (differences.size > 1) return { findings: [], compared: 0 }
    const [difference = 0] = differences
    return { findings: [wrongCount(counted, counted - difference)], compared: 1 }
  },
})

export const wrongCount = (counted: number, recorded: number): Finding => ({
  severity: 'warning',
  invariant: 'I-23',
  subject: { kind: 'cache', id: 'used bytes' },
  message: `the cache counts ${counted} used bytes, but the rows sum to ${recorded}`,
  repair: 'Restart svc, which counts again',
})

function overCapacity({ usedBytes, reservedBytes, maxBytes }: { usedBytes: number; reservedBytes: number; maxBytes: number }) {
  if (usedBytes + reservedBytes <= maxBytes) return []
  const finding: Finding = {
    severity: 'warning',
    invariant: 'I-23',
    subject: { kind: 'cache', id: 'capacity' },
    message: `cached bytes and reservations are ${usedBytes + reservedBytes}, above the capacity of ${maxBytes}`,
    repair: 'Raise cache.max_size_gb, or wait until enough copies are committed and the evictor has removed bytes',
  }
  return [finding]
}
