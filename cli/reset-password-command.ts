import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  adminAuthSection,
  type CommandCall,
  CommandError,
  envName,
  findPlace,
  hashPassword,
  newToken,
  readConfigFile,
  readSettings,
  saveConfigFile,
  writePrivateFile,
} from '#kernel'
import { passwordName } from './runtime-directory.ts'
import { adviseInit } from './unusable-config.ts'

const tokenBytes = 32
/** What the reset writes; a variable with one of these would win over it. */
const written = ['enabled', 'password_hash', 'session_secret'].map((key) => `admin.auth.${key}`)

/** Works on the files alone, whether or not the service runs; a running one keeps the old password until its restart. */
export async function run(call: CommandCall): Promise<undefined> {
  const configPath = requireConfig(call)
  const kept = readSettings(call, adminAuthSection, ['username']).username.trim()
  const username = kept || 'admin'
  const passwordPath = join(dirname(configPath), passwordName)
  const password = newToken(tokenBytes)
  const changes = {
    'admin.auth.enabled': true,
    ...(kept ? {} : { 'admin.auth.username': username }),
    'admin.auth.password_hash': await hashPassword(password),
    // Browser sessions are signed with it: none outlives the password it was opened with.
    'admin.auth.session_secret': newToken(tokenBytes),
  }
  const previous = readIfThere(passwordPath)
  // The password first: a configuration whose password nobody knows would lock the operator out.
  writePrivateFile(passwordPath, `${password}\n`)
  try {
    saveConfigFile(configPath, changes)
  } catch (error) {
    if (previous === undefined) rmSync(passwordPath, { force: true })
    else writePrivateFile(passwordPath, previous)
    throw error
  }
  const lines = [
    'Admin password reset. Restart the service for it to take effect; every browser session ends then.',
    `Admin username: ${username}`,
    `Admin initial password file: ${passwordPath}`,
  ]
  call.out.result({ username, password_file: passwordPath }, lines.join('\n'))
}

/** The file to change. Throws CommandError where none is named, none is there, or another place decides. */
function requireConfig(call: CommandCall): string {
  const { flags, env } = call
  if (flags.config === undefined && !env.SVC_CONFIG?.trim()) {
    throw new CommandError('svc admin-auth reset-password needs --config or SVC_CONFIG: which password is reset must be said', {
      exitCode: 2,
    })
  }
  const { configPath } = findPlace(call)
  if (!readConfigFile(configPath).exists) throw new CommandError(adviseInit(configPath, env))
  const variable = written.map(envName).find((name) => env[name] !== undefined)
  if (variable !== undefined)
    throw new CommandError(`${variable} is set and wins over ${configPath}; unset it, or change the password there`)
  return configPath
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new CommandError(`${path} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
