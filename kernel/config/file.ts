import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type * as tomlPatch from '@decimalturn/toml-patch'
import { defineErrors } from '../errors.ts'
import { lazyPackage } from '../process/lazy-package.ts'
import { assignAt } from './dotted-path.ts'
import { describeTomlError } from './toml-error-policy.ts'

const toml = lazyPackage<typeof tomlPatch>('@decimalturn/toml-patch')

const configFileErrors = defineErrors({
  config_unreadable: { status: 500, message: 'The configuration file cannot be read.' },
  config_malformed: { status: 500, message: 'The configuration file is not valid TOML.' },
  config_unwritable: { status: 500, message: 'The configuration file cannot be written.' },
})

export const defaultDataDir = (env: Readonly<Record<string, string | undefined>>): string => join(env.HOME || homedir(), '.svc')

/** `--config`, then a non-blank SVC_CONFIG, then ~/.svc/config.toml. */
export function resolveConfigPath(flag: string | undefined, env: Readonly<Record<string, string | undefined>>, cwd = ''): string {
  const fromEnv = env.SVC_CONFIG?.trim()
  return resolve(cwd, flag ?? (fromEnv || join(defaultDataDir(env), 'config.toml')))
}

/** A missing file counts as empty. */
export function readConfigFile(path: string): { readonly exists: boolean; readonly text: string; readonly tree: Record<string, unknown> } {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { exists: false, text: '', tree: {} }
    throw configFileErrors.config_unreadable({ message: `${path} cannot be read: ${(cause as Error).message}`, cause })
  }
  try {
    return { exists: true, text, tree: toml().parse(text) as Record<string, unknown> }
  } catch (cause) {
    // I-10: the message of the parser quotes the line, which may hold the wallet key, so it is not even kept as a cause.
    throw configFileErrors.config_malformed({ message: `${path} is not valid TOML: ${describeTomlError(cause)}` })
  }
}

/** Sets the given dotted paths (undefined removes one), keeping comments and layout. The file is replaced atomically, mode 0600. */
export function saveConfigFile(path: string, changes: Readonly<Record<string, unknown>>): void {
  const { text, tree } = readConfigFile(path)
  const wanted = structuredClone(tree)
  for (const [field, value] of Object.entries(changes)) assignAt(wanted, field, value)
  const patched = patchVerified(text, wanted)
  if (patched === undefined) {
    throw configFileErrors.config_unwritable({ message: `${path} could not be edited without changing its meaning; edit it by hand` })
  }
  writePrivateFile(path, patched)
}

/** The library that edits the operator's file is young: its output is verified before the file is replaced. Undefined: it is wrong. */
function patchVerified(text: string, wanted: Record<string, unknown>): string | undefined {
  const { parse, patch } = toml()
  try {
    const patched = patch(text, wanted)
    return isDeepStrictEqual(plain(parse(patched)), plain(wanted)) ? patched : undefined
  } catch {
    // I-10: the message of the parser quotes the line, which may hold the wallet key.
    return undefined
  }
}

const temporaryNameBytes = 8

/** Writes through a temporary file, fsync and rename, mode 0600, making private parent directories. */
export function writePrivateFile(path: string, text: string): void {
  const directory = dirname(path)
  // A random name opened with O_EXCL: never writes to a file or link that another user placed there.
  const temporary = `${path}.${randomBytes(temporaryNameBytes).toString('hex')}.tmp`
  let isMade = false
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const file = openSync(temporary, 'wx', 0o600)
    isMade = true
    try {
      // Writes everything or throws: a single write to a nearly full disk may be partial.
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
    const folder = openSync(directory, 'r')
    fsyncSync(folder)
    closeSync(folder)
  } catch (cause) {
    if (isMade) rmSync(temporary, { force: true })
    throw configFileErrors.config_unwritable({ message: `${path} cannot be written: ${(cause as Error).message}`, cause })
  }
}

/** The mode of a file that other users can access, such as `0644`; undefined when they cannot, or the file is missing. */
export function modeForOthers(path: string): string | undefined {
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777
  return (mode & 0o077) === 0 ? undefined : `0${mode.toString(8)}`
}

const plain = (tree: unknown): unknown => JSON.parse(JSON.stringify(tree))
