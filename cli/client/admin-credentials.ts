/** Where the commands of `svc admin` find the password of the operator. */
import { existsSync } from 'node:fs'
import { type CommandCall, CommandError, type Output } from '#kernel'
import { adminAuthSection, adminSection, initialPasswordPath } from '#kernel/host'
import { adviseInit, findPlace, readSettings } from '../command-settings.ts'
import { readIfExists } from '../read-if-exists.ts'

type CommandLine = Pick<CommandCall<unknown, { adminUrl?: string | undefined }>, 'flags' | 'env' | 'cwd'>

interface LocalAdmin {
  /** `host:port` of the Admin listener. */
  readonly address: string
  readonly username: string
  /** False when authentication is off. */
  readonly needsPassword: boolean
}

/** Reads the local configuration. With `--admin-url` alone the service may be remote, so an unreadable configuration is ignored. */
export function readLocalAdmin(call: CommandLine): LocalAdmin {
  requireInstallation(call)
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
export async function findPassword(
  call: CommandLine & { readonly out: Pick<Output, 'askSecret'> },
  username: string,
): Promise<string | undefined> {
  const fromEnv = call.env.SVC_ADMIN_PASSWORD
  if (fromEnv) return fromEnv
  const path = initialPasswordPath(findPlace(call).configPath)
  const fromFile = readPasswordFile(path)
  if (fromFile !== undefined) return fromFile
  const typed = call.out.askSecret?.(`Password of ${username}: `)
  if (typed !== undefined) return typed
  if (isElsewhere(call)) return undefined
  throw new CommandError(`the Admin password is not known: set SVC_ADMIN_PASSWORD, or put it into ${path}`)
}

/** Throws when no file, address or variable of the Admin API names a service. */
function requireInstallation(call: CommandLine): void {
  const { configPath } = findPlace(call)
  const isNamed = call.flags.adminUrl !== undefined || Object.keys(call.env).some((name) => name.startsWith('SVC_ADMIN_'))
  if (isNamed || existsSync(configPath)) return
  throw new CommandError(`${adviseInit(configPath, call.env)}, or name a running service with --admin-url`)
}

/** Whether the command names a service but no configuration. */
function isElsewhere({ flags, env }: CommandLine): boolean {
  return flags.adminUrl !== undefined && flags.config === undefined && !env.SVC_CONFIG?.trim()
}

function readPasswordFile(path: string): string | undefined {
  const text = readIfExists(path)?.trim()
  if (text === '') throw new CommandError(`${path} is empty; set SVC_ADMIN_PASSWORD, or run svc admin-auth reset-password`)
  return text
}
