/** Files of the cache without a row. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, Reader } from '#kernel'
import type { Finding, Look, LookPage } from '#kernel/system'
import { blobsFolder } from '../cache/blob-folders.ts'
import { isMissing } from '../cache/disk.ts'
import { knownBlobs } from '../catalog/cache-entry-store.ts'
import { knownEpochs } from './cache-files-store.ts'
import { fixNames } from './fix-names.ts'

/** Files looked up together. */
const idsPerLookup = 500
/** Folders of one page. */
const foldersPerPage = 32
/** A running gateway unlinks a file within this after it removed its row. */
const unlinkMs = 2000

interface StrayLook extends Look {
  readonly dir: string
  readonly clock: Clock
}

/**
 * Epochs whose writers have ended. The newest one belongs to a running gateway, whose uploads have no row yet. Folders that the database
 * does not know belong to another database, or to rows that a restored backup lacks.
 */
async function finishedEpochs({ read, isOnline }: Pick<Look, 'read' | 'isOnline'>): Promise<readonly number[]> {
  const epochs = await knownEpochs(read)
  return isOnline ? epochs.slice(0, -1) : epochs
}

/** Folders in order, from `first` on, at most one more than a page has. */
async function foldersFrom(look: Pick<Look, 'read' | 'isOnline'>, dir: string, first: string): Promise<readonly string[]> {
  const folders: string[] = []
  const [firstEpoch = '', firstName = ''] = first.split('/')
  for (const epoch of await finishedEpochs(look)) {
    if (epoch < Number(firstEpoch)) continue
    const names = (await namesIn(join(dir, blobsFolder, String(epoch)))).toSorted()
    const wanted = String(epoch) === firstEpoch ? names.filter((name) => name >= firstName) : names
    folders.push(...wanted.map((name) => `${epoch}/${name}`))
    if (folders.length > foldersPerPage) break
  }
  return folders.slice(0, foldersPerPage + 1)
}

/** One page of folders. */
export async function findStrays(look: StrayLook): Promise<LookPage> {
  const folders = await foldersFrom(look, look.dir, look.after ?? '')
  const next = folders.at(foldersPerPage)
  const strays: string[] = []
  let compared = 0
  for (const folder of folders.slice(0, foldersPerPage)) {
    const ids = await namesIn(join(look.dir, blobsFolder, folder))
    compared += ids.length
    strays.push(...(await unknownOf(look.read, ids)).map((id) => `${folder}/${id}`))
  }
  const findings = await toFindings(look, strays)
  return { findings, compared, ...(next !== undefined && { next }) }
}

export async function unknownOf(read: Reader, ids: readonly string[]): Promise<readonly string[]> {
  const unknown: string[] = []
  for (let at = 0; at < ids.length; at += idsPerLookup) {
    const page = ids.slice(at, at + idsPerLookup)
    const known = await knownBlobs(read, page)
    unknown.push(...page.filter((id) => !known.has(id)))
  }
  return unknown
}

async function toFindings({ dir, clock, isOnline, signal }: StrayLook, strays: readonly string[]): Promise<readonly Finding[]> {
  if (strays.length === 0) return []
  if (isOnline) await clock.sleep(unlinkMs, signal)
  const findings: Finding[] = []
  for (const place of strays) {
    const path = join(dir, blobsFolder, place)
    const bytes = await sizeOf(path)
    if (bytes === undefined) continue
    findings.push({
      severity: 'warning',
      invariant: 'I-03',
      subject: { kind: 'cache file', id: place },
      message: `${path} has no row and takes ${bytes} bytes`,
      repair: 'Run svc doctor --fix, which removes it; a start of svc serve does it too',
      fix: { name: fixNames.removeStray, target: place },
    })
  }
  return findings
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).size
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Names in a folder; none when it is missing or is a file. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}
