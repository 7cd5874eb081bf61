/** The directory of one installation: configuration, first password, database and cache. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError, configSections } from '#kernel'
import { hashPassword, initialPasswordPath, loadContributions } from '#kernel/host'
import { type FileValue, kernelSections, type Section, writePrivateFile } from '#kernel/system'
import { builtinPlugins } from '../plugins/index.ts'
import { renderConfigTemplate } from './config-template.ts'

/** 32 bytes are 43 characters. */
const tokenBytes = 32

/** Accepts objects from 0 bytes to 5 TiB. */
export const anySizeValues = { 's3.object_sizes': 'any' } as const

interface RuntimeDirectory {
  readonly dir: string
  readonly configPath: string
  readonly username: string
  readonly password: string
  /** Is undefined when the password is not stored. */
  readonly passwordPath: string | undefined
}

interface MakeRuntimeDirectory {
  /** Absolute. */
  readonly dir: string
  readonly storesPassword: boolean
  /** Further settings to write, by dotted path. */
  readonly values?: Readonly<Record<string, FileValue>>
}

/** Creates what is missing: directories 0700, files 0600. Throws CommandError instead of replacing a file. */
export async function makeRuntimeDirectory({ dir, storesPassword, values = {} }: MakeRuntimeDirectory): Promise<RuntimeDirectory> {
  const configPath = join(dir, 'config.toml')
  const passwordPath = initialPasswordPath(configPath)
  for (const path of [configPath, passwordPath]) {
    if (existsSync(path)) throw new CommandError(`${path} already exists; nothing was changed. Choose another directory with --dir`)
  }
  makePrivateDirectories([dir, join(dir, 'db'), join(dir, 'cache')])
  const username = 'admin'
  const password = randomBytes(tokenBytes).toString('base64url')
  const text = renderConfigTemplate({
    sections: await allSections(),
    dataDir: dir,
    values: {
      'admin.auth.username': username,
      'admin.auth.password_hash': await hashPassword(password),
      'admin.auth.session_secret': randomBytes(tokenBytes).toString('base64url'),
      ...values,
    },
  })
  // The password first: a configuration whose password is lost is useless.
  if (storesPassword) writePrivateFile(passwordPath, `${password}\n`)
  try {
    writePrivateFile(configPath, text)
  } catch (error) {
    if (storesPassword) rmSync(passwordPath, { force: true })
    throw error
  }
  return { dir, configPath, username, password, passwordPath: storesPassword ? passwordPath : undefined }
}

function makePrivateDirectories(paths: readonly string[]): void {
  for (const path of paths) {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 })
    } catch (cause) {
      throw new CommandError(`${path} cannot be created: ${(cause as Error).message}`, { cause })
    }
  }
}

const allSections = async (): Promise<readonly Section[]> => [
  ...kernelSections,
  ...(await loadContributions(configSections, builtinPlugins)).map(({ item }) => item),
]
