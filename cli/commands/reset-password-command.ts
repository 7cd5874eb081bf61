import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { type CommandCall, CommandError } from '#kernel'
import { adminAuthSection, hashPassword, initialPasswordPath, readConfigFile } from '#kernel/host'
import { envName, saveConfigFile, writePrivateFile } from '#kernel/system'
import { adviseInit, findPlace, readSettings } from '../command-settings.ts'
import { readIfExists } from '../read-if-exists.ts'
import { usageError } from '../usage.ts'

const tokenBytes = 32
/** Keys that the reset writes. A variable of one of these would override it. */
const written = ['enabled', 'password_hash', 'session_secret'].map((key) => `admin.auth.${key}`)

/** Changes only files. A running service keeps the old password until its restart. */
export async function run(call: CommandCall): Promise<undefined> {
  const configPath = requireConfig(call)
  const kept = readSettings(call, adminAuthSection, ['username']).username.trim()
  const username = kept || 'admin'
  const passwordPath = initialPasswordPath(configPath)
  const password = randomBytes(tokenBytes).toString('base64url')
  const changes = {
    'admin.auth.enabled': true,
    ...(kept ? {} : { 'admin.auth.username': username }),
    'admin.auth.password_hash': await hashPassword(password),
    // It signs the browser sessions, so a new one ends them all.
    'admin.auth.session_secret': randomBytes(tokenBytes).toString('base64url'),
  }
  const previous = readIfExists(passwordPath)
  // The password first: a configuration whose password is lost would lock the operator out.
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

/** The file to change. Throws CommandError when none is named, it does not exist, or a variable overrides it. */
function requireConfig(call: CommandCall): string {
  const { flags, env } = call
  if (flags.config === undefined && !env.SVC_CONFIG?.trim()) {
    throw usageError('svc admin-auth reset-password needs --config or SVC_CONFIG, to name the installation whose password is reset')
  }
  const { configPath } = findPlace(call)
  if (!readConfigFile(configPath).exists) throw new CommandError(adviseInit(configPath, env))
  const variable = written.map(envName).find((name) => env[name] !== undefined)
  if (variable !== undefined) throw new CommandError(`${variable} overrides ${configPath}; unset it, or change the password there`)
  return configPath
}
