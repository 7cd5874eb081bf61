/** Chooses the build of the dashboard that is served: the one of the data directory, which `svc plugins build` makes, or the built-in one. */
import { createHash } from 'node:crypto'
import { type Dirent, lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { version } from '../process/version.ts'

interface DashboardChoice {
  readonly folder: string
  /** Why the build in the data directory is not served, with the next step. Undefined when it is, or when there is none. */
  readonly problem?: string
}

/** What `files.json` of a build says: who made it, and the SHA-256 of each other file by path. */
interface FileList {
  readonly svc: { readonly version: string; readonly commit: string }
  readonly files: Readonly<Record<string, string>>
}

const listName = 'files.json'
const partsName = 'plugins.json'
/** A build has about 200. */
const filesMax = 5_000
const bytesMax = 100_000_000
/** Its scripts run with the rights of the operator. */
const writableByOthers = 0o002

/** Where `svc plugins build` writes, and where the service looks. */
export const ownDashboardFolder = (dataDir: string): string => join(dataDir, 'dashboard')

/** Takes the right to replace a build. Only a build loads this code. */
export const openBuildPlace = async (out: string) => (await import('./build-place.ts')).openBuildPlace(out)

/** Reads every file of the own build: one that is damaged, incomplete or made by another svc could not work with this service. */
export function chooseDashboard(builtIn: string, own: string): DashboardChoice {
  const { isPresent, fault } = examineDashboard(own)
  if (!isPresent) return { folder: builtIn }
  if (fault === undefined) return { folder: own }
  return { folder: builtIn, problem: `${own} is not served: ${fault}. Run \`svc plugins build\`, or delete the folder.` }
}

interface Examined {
  readonly isPresent: boolean
  /** Why it is not served. */
  readonly fault?: string | undefined
}

export function examineDashboard(own: string): Examined {
  try {
    const about = lstatSync(own, { throwIfNoEntry: false })
    if (about === undefined) return { isPresent: false }
    return { isPresent: true, fault: about.isDirectory() ? (findStranger(own, about) ?? findFault(own)) : 'it is not a folder' }
  } catch (error) {
    return { isPresent: true, fault: (error as Error).message }
  }
}

/** The plugins whose parts a whole build has. */
export const pluginsOfDashboard = (own: string): readonly string[] =>
  (JSON.parse(readFileSync(join(own, partsName), 'utf8')) as readonly { readonly plugin: string }[]).map(({ plugin }) => plugin)

/** A directory such as /tmp lets every user add a folder. Who owns the data directory can change the configuration too. */
function findStranger(own: string, { uid }: Stats): string | undefined {
  const trusted = [0, process.getuid?.() ?? uid, lstatSync(dirname(own)).uid]
  return trusted.includes(uid) ? undefined : `it belongs to the user ${uid}, who is neither the owner of its directory nor the user of svc`
}

function findFault(own: string): string | undefined {
  const list = readList(own)
  if (list === undefined) return `${listName} is missing or damaged`
  const { svc, files } = list
  if (svc.version !== version.version || svc.commit !== version.commit)
    return `svc ${svc.version} (commit ${svc.commit}) built it, and this is svc ${version.version} (commit ${version.commit})`
  if (isWritableByOthers(own)) return 'every user of this machine can write to it'
  const entries = readdirSync(own, { withFileTypes: true, recursive: true })
  if (entries.length > filesMax) return `it has more than ${filesMax} files`
  const present = entries.filter((entry) => !entry.isDirectory()).map((entry) => relative(own, join(entry.parentPath, entry.name)))
  const missing = Object.keys(files).find((path) => !present.includes(path))
  if (missing !== undefined) return `${missing} is missing`
  return findWrongEntry(own, entries, files)
}

function findWrongEntry(own: string, entries: readonly Dirent[], files: FileList['files']): string | undefined {
  let bytes = 0
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(own, path)
    // A link could lead to any file of the machine.
    if (!entry.isFile() && !entry.isDirectory()) return `${name} is not a file`
    if (isWritableByOthers(path)) return `every user of this machine can write to ${name}`
    if (entry.isDirectory() || name === listName) continue
    if (!Object.hasOwn(files, name)) return `${name} does not belong to it`
    bytes += lstatSync(path).size
    if (bytes > bytesMax) return `it has more than ${bytesMax / 1_000_000} MB`
    if (hash(readFileSync(path)) !== files[name]) return `${name} is damaged`
  }
  return undefined
}

const isWritableByOthers = (path: string): boolean => (lstatSync(path).mode & writableByOthers) !== 0

function readList(own: string): FileList | undefined {
  try {
    const { svc, files } = JSON.parse(readFileSync(join(own, listName), 'utf8')) as FileList
    const isList = typeof svc.version === 'string' && typeof svc.commit === 'string' && typeof files['index.html'] === 'string'
    return isList ? { svc, files } : undefined
  } catch {
    return undefined
  }
}

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
