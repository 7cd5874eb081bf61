/** Entries of the cache directory without a row. */
import type { Dirent } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, Reader } from '#kernel'
import type { Finding, Look, LookPage } from '#kernel/system'
import { blobsFolder } from '../cache/files/cache-paths.ts'
import { isMissing } from '../cache/files/disk.ts'
import { knownBlobs } from '../catalog/cached/cache-entry-store.ts'
import { knownEpochs } from './cache-files-store.ts'
import { fixNames } from './fix-names.ts'
import { problemOf } from './inspect-file.ts'
import { classify, isFilesFolder, type Stray } from './stray-policy.ts'

/** Entries looked up together. */
const entriesPerLookup = 500
const foldersPerPage = 32
/** Findings of one folder: its other entries are compared after these are gone. */
const findingsPerFolder = 100
/** A page ends after the folder that reaches this. */
const findingsPerPage = 400
/** A running gateway unlinks a file within this after it removed its row. */
const unlinkMs = 2000

interface StrayLook extends Look {
  readonly dir: string
  readonly clock: Clock
}

export async function findStrays(look: StrayLook): Promise<LookPage> {
  const epochs = await knownEpochs(look.read)
  // The newest one belongs to the running gateway, whose uploads have no row yet.
  const finished = look.isOnline ? epochs.slice(0, -1) : epochs
  const folders = await foldersFrom(look.dir, finished, look.after ?? '')
  const known = new Set(epochs)
  const strays: Stray[] = []
  let compared = 0
  let isCut = false
  let at = 0
  for (; at < foldersPerPage && strays.length < findingsPerPage; at++) {
    const folder = folders[at]
    if (folder === undefined) break
    const found = await straysIn(look, folder, known)
    strays.push(...found.strays)
    compared += found.compared
    isCut ||= found.isCut
    // Then the folders in it have the same problem.
    if (folder === '' && found.strays.some(({ kind }) => kind === 'unreadable')) folders.length = 0
  }
  const next = folders[at]
  return { findings: await toFindings(look, strays), compared, ...(next !== undefined && { next }), ...(isCut && { isCut }) }
}

/** Folders in order, from `first` on: `''` for that of all starts, `<epoch>/`, `<epoch>/<name>`. At most one more than a page has. */
async function foldersFrom(dir: string, epochs: readonly number[], first: string): Promise<string[]> {
  const folders: string[] = first === '' ? [''] : []
  const [firstEpoch = '', firstName = ''] = first.split('/')
  for (const epoch of epochs) {
    if (epoch < Number(firstEpoch)) continue
    const names = await filesFoldersOf(join(dir, blobsFolder, String(epoch)))
    const wanted = String(epoch) === firstEpoch ? names.filter((name) => name >= firstName) : names
    folders.push(...wanted.map((name) => `${epoch}/${name}`))
    if (folders.length > foldersPerPage) break
  }
  return folders.slice(0, foldersPerPage + 1)
}

/** The folder of a start, as `''`, and the names of its folders of files, in order. None when it is missing. */
async function filesFoldersOf(path: string): Promise<readonly string[]> {
  const names = ['']
  try {
    for await (const { name } of await opendir(path)) if (isFilesFolder(name)) names.push(name)
  } catch (error) {
    // When the folder is looked at, another error is a finding.
    if (isNoFolder(error)) return []
  }
  return names.toSorted()
}

interface Found {
  readonly strays: readonly Stray[]
  readonly compared: number
  readonly isCut: boolean
}

async function straysIn({ dir, read, signal }: StrayLook, folder: string, epochs: ReadonlySet<number>): Promise<Found> {
  const strays: Stray[] = []
  let compared = 0
  try {
    for await (const entries of inGroups(join(dir, blobsFolder, folder))) {
      signal.throwIfAborted()
      compared += entries.length
      strays.push(...(await withoutRow(read, classify(folder, entries, epochs))))
      if (strays.length > findingsPerFolder) break
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!isNoFolder(error)) strays.push({ place: folder, kind: 'unreadable', problem: problemOf(error) })
  }
  return { strays: strays.slice(0, findingsPerFolder), compared, isCut: strays.length > findingsPerFolder }
}

async function* inGroups(path: string): AsyncGenerator<readonly Dirent[]> {
  let entries: Dirent[] = []
  for await (const entry of await opendir(path, { bufferSize: entriesPerLookup })) {
    entries.push(entry)
    if (entries.length < entriesPerLookup) continue
    yield entries
    entries = []
  }
  yield entries
}

/** Leaves out files with a row. */
async function withoutRow(read: Reader, strays: readonly Stray[]): Promise<readonly Stray[]> {
  const ids = strays.flatMap(({ blobId }) => blobId ?? [])
  const known = ids.length === 0 ? new Set<string>() : await knownBlobs(read, ids)
  return strays.filter(({ blobId }) => blobId === undefined || !known.has(blobId))
}

async function toFindings({ dir, clock, isOnline, signal }: StrayLook, strays: readonly Stray[]): Promise<readonly Finding[]> {
  const hasFiles = strays.some(({ kind }) => kind === 'file')
  if (hasFiles && isOnline) await clock.sleep(unlinkMs, signal)
  const findings: Finding[] = []
  for (const stray of strays) {
    const finding = await toFinding(join(dir, blobsFolder, stray.place), stray)
    if (finding) findings.push(finding)
  }
  return findings
}

async function toFinding(path: string, { place, kind, problem }: Stray): Promise<Finding | undefined> {
  const warn = (subject: string, message: string, repair: string): Finding => ({
    severity: 'warning',
    subject: { kind: subject, id: place === '' ? blobsFolder : place },
    message: `${path} ${message}`,
    repair,
  })
  switch (kind) {
    case 'file': {
      const bytes = await sizeOf(path)
      if (bytes === undefined) return undefined
      const repair = 'Run svc doctor --fix, which removes it; a start of svc serve does it too'
      const fix = { name: fixNames.removeStray, target: place }
      return { ...warn('cache file', `has no row and takes ${bytes} bytes`, repair), invariant: 'I-03', fix }
    }
    case 'unknown start':
      if (await isEmpty(path)) return undefined
      return warn(
        'cache folder',
        'belongs to a start of svc that the database does not record: the database is another one, or older than the files',
        'Check that the database and cache.dir belong together; if the files are not needed, remove the folder by hand',
      )
    case 'unreadable':
      return warn('cache folder', problem ?? '', 'Give the folder to the user that runs svc, and check the disk')
    case 'foreign':
      return warn('cache file', 'was not written by svc', 'Move it to another place, or remove it by hand')
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).size
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Whether a folder has nothing but empty folders. */
async function isEmpty(path: string, depth = 1): Promise<boolean> {
  try {
    for await (const entry of await opendir(path)) {
      if (depth === 0 || !entry.isDirectory() || !(await isEmpty(join(path, entry.name), depth - 1))) return false
    }
    return true
  } catch (error) {
    // It is not known for a folder that cannot be read.
    return isMissing(error)
  }
}

/** Missing, or a file: then the folder above has the finding. */
const isNoFolder = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
