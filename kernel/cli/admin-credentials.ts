/** Where the commands of `svc admin` find the password of the operator. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { adminAuthSection, adminSection } from '../settings.ts'
import { type CommandCall, CommandError } from './command.ts'
import { findPlace, readSettings } from './command-settings.ts'
import { canPrompt, promptSecret } from './prompt.ts'

export interface LocalAdmin {
  /** `host:port` of the Admin listener. */
  readonly address: string
  readonly username: string
  /** False when authentication is off. */
  readonly needsPassword: boolean
}

/** Reads the local configuration. With `--admin-url` alone the service may be remote, so an unreadable configuration is ignored. */
export function readLocalAdmin(call: Pick<CommandCall, 'flags' | 'env'>): LocalAdmin {
  try {
    const { addr } = readSettings(call, adminSection, ['addr'])
    const { enabled, username } = readSettings(call, adminAuthSection, ['enabled', 'username'])
    return { address: addr, username: username || 'admin', needsPassword: enabled }
  } catch (error) {
    if (!isElsewhere(call)) throw error
    return { address: '', username: 'admin', needsPassword: true }
  }
}

/** SVC_ADMIN_PASSWORD, then the initial password file beside the configuration, then a prompt. Undefined: no password was found and the remote service may need none. */
export async function findPassword(call: Pick<CommandCall, 'flags' | 'env'>, username: string): Promise<string | undefined> {
  const fromEnv = call.env.SVC_ADMIN_PASSWORD
  if (fromEnv) return fromEnv
  const path = join(dirname(findPlace(call).configPath), 'admin-initial-password')
  const fromFile = readPasswordFile(path)
  if (fromFile !== undefined) return fromFile
  if (canPrompt()) return promptSecret(`Password of ${username}: `)
  if (isElsewhere(call)) return undefined
  throw new CommandError(`the Admin password is not known: set SVC_ADMIN_PASSWORD, or put it into ${path}`)
}

/** Whether the command names a service but no configuration. */
function isElsewhere({ flags, env }: Pick<CommandCall, 'flags' | 'env'>): boolean {
  return flags.adminUrl !== undefined && flags.config === undefined && !env.SVC_CONFIG?.trim()
}

function readPasswordFile(path: string): string | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new CommandError(`${path} cannot be read: ${(cause as Error).message}`, { cause })
  }
  if (text === '') throw new CommandError(`${path} is empty; set SVC_ADMIN_PASSWORD, or run svc admin-auth reset-password`)
  return text
}
