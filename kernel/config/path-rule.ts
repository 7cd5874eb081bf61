import { realpathSync, type Stats, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { databasePath, isPostgres } from './database-path.ts'
import type { TextRule } from './value-rule.ts'

/** Folders of the kernel of the system: their files are no files of a disk, and reading some of them never ends. */
const kernelFolders = ['/proc', '/sys', '/dev']
/** Is in memory, although it is below /dev. */
const memoryFolder = '/dev/shm'
/** Folders whose content the system, or its package manager, owns. */
const systemFolders = [
  ...['/etc', '/private/etc', '/boot', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/System', '/Library', '/Applications'],
  ...['/usr/bin', '/usr/sbin', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libexec', '/usr/include', '/usr/share'],
]
/** Folders with the folders of others: a folder in them is allowed. */
const sharedFolders = [
  ...['/', '/usr', '/usr/local', '/opt', '/home', '/root', '/Users', '/Volumes', '/run', '/tmp', '/private', '/private/tmp', memoryFolder],
  ...['/var', '/var/lib', '/var/cache', '/var/log', '/var/run', '/var/spool', '/var/tmp', '/private/var', '/private/var/tmp'],
]
const programFolder = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/** Folders in a clone that are no part of the program, such as `.svc-dev` of `svc dev`. */
const dataInProgram = join(programFolder, '.svc')

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
const inAny = (folders: readonly string[], path: string): string | undefined => folders.find((folder) => isIn(folder, path))

/** Follows links as far as the path exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}

function foreignFolder(path: string): string | undefined {
  if (isIn(memoryFolder, path)) return undefined
  return inAny([...kernelFolders, ...systemFolders], path)
}

/** What the path of data of svc must be; undefined when it may be used. */
function dataProblem(path: string): string | undefined {
  const foreign = foreignFolder(path)
  if (foreign !== undefined) return `outside of ${foreign}, which belongs to the system`
  const isOfProgram = isIn(programFolder, path) && !path.startsWith(dataInProgram)
  return isOfProgram ? `outside of ${programFolder}, which holds the program of svc` : undefined
}

const first = <T>(path: string, check: (path: string) => T | undefined): T | undefined => {
  const asked = resolve(path)
  return check(asked) ?? check(realPath(asked))
}

/** A folder in which svc writes files. */
export const dataFolder: TextRule = {
  expected: 'the path of a folder for svc alone',
  pattern: '.',
  mustBe(path) {
    if (path === '') return 'non-empty'
    return first(path, (at) => {
      const isShared = sharedFolders.includes(at) || at === resolve(homedir()) || isIn(at, programFolder)
      return isShared ? `a folder for svc alone, such as ${join(at, 'svc', 'cache')}: other files are in this one` : dataProblem(at)
    })
  },
}

/** A file that svc reads, or no text. It may be missing: its reader names it then. */
export const readFile: TextRule = {
  expected: 'the path of a file',
  mustBe(path) {
    if (path === '') return undefined
    const kernel = first(path, (at) => (isIn(memoryFolder, at) ? undefined : inAny(kernelFolders, at)))
    if (kernel !== undefined) return `a file outside of ${kernel}, which belongs to the system`
    const found = statIfThere(path)
    return found === undefined || found.isFile() ? undefined : `a file, not ${found.isDirectory() ? 'a folder' : 'a device or pipe'}`
  },
}

/** The path or URL of a database; a file of SQLite is data of svc. */
export const databaseSource: TextRule = {
  expected: 'a string',
  mustBe(dsn) {
    if (dsn === '' || isPostgres(dsn)) return undefined
    const problem = first(databasePath(dsn), dataProblem)
    return problem && `a file ${problem}`
  },
}

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    // The reader of the file reports why it cannot be read.
    return undefined
  }
}
