/** The gateway of `svc dev`: configuration, deposit and first S3 user. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '#kernel'
import { initialPasswordPath, type RunningKernel, readConfigFile } from '#kernel/host'
import { type FileValue, saveConfigFile, valueAt, writePrivateFile } from '#kernel/system'
import { s3Users } from '#plugins/s3'
import { walletSetup } from '#plugins/wallet'
import { anySizeValues, makeRuntimeDirectory } from '../runtime-directory.ts'
import type { DevDirectory } from './dev-directory.ts'
import type { DevnetReady } from './devnet-process.ts'

/** 1,000 tokens of the wallet's 10,000: enough for many gibibytes. */
const deposit = 1000n * 10n ** 18n

export interface DevGateway {
  readonly configPath: string
  readonly username: string
  readonly password: string
}

export interface S3Credentials {
  readonly access_key: string
  readonly secret_key: string
}

/** Creates the runtime directory the first time. Later it updates the paths, because the directory may have been moved. */
export async function prepareGateway(
  directory: DevDirectory,
  devnet: DevnetReady,
  { isAnySize }: { readonly isAnySize: boolean },
): Promise<DevGateway> {
  const chosen = isAnySize ? anySizeValues : {}
  const dir = directory.gateway
  const configPath = join(dir, 'config.toml')
  if (!existsSync(configPath)) {
    // An earlier start may have been killed between the two files.
    rmSync(initialPasswordPath(configPath), { force: true })
    await makeRuntimeDirectory({ dir, storesPassword: true, values: { ...pathsOf(dir, devnet), ...firstValues(devnet), ...chosen } })
  } else {
    saveChanged(configPath, { ...pathsOf(dir, devnet), ...chosen })
  }
  const admin = readConfigFile(configPath).tree.admin as { readonly auth?: { readonly username?: string } } | undefined
  return { configPath, username: admin?.auth?.username ?? 'admin', password: readPassword(dir) }
}

const pathsOf = (dir: string, devnet: DevnetReady): Record<string, string> => ({
  'chain.devnet_info': devnet.info,
  'database.dsn': join(dir, 'db', 'svc.db'),
  'cache.dir': join(dir, 'cache'),
})

/** A local chain makes a block every second, so the polls run more often than on a real one. */
function firstValues({ info, providers }: DevnetReady): Record<string, FileValue> {
  return {
    'chain.network': 'devnet',
    'chain.private_key': readWalletKey(info),
    'chain.allow_private_networks': true,
    // Each copy needs another provider.
    'chain.default_copies': Math.min(3, providers.length),
    'chain.observability.interval': '15s',
    'worker.tasks.poll_interval': '250ms',
    'packs.wait': '15s',
    'packs.idle': '5s',
    'cache.max_size_gb': 10,
  }
}

function readWalletKey(info: string): string {
  const { users } = JSON.parse(readFileSync(info, 'utf8')).info as { readonly users: { name: string; private_key_hex: string }[] }
  const user = users.find(({ name }) => name === 'USER_1')
  if (!user) throw new CommandError(`${info} has no user USER_1, whose wallet pays`)
  return user.private_key_hex
}

function readPassword(dir: string): string {
  try {
    return readFileSync(initialPasswordPath(join(dir, 'config.toml')), 'utf8').trim()
  } catch (cause) {
    throw new CommandError(`the file of the Admin password is missing in ${dir}; run svc admin-auth reset-password`, { cause })
  }
}

/** Saves the addresses in use, which other commands read from the file. */
export function keepAddresses(
  { configPath }: DevGateway,
  { adminUrl, s3Url }: { readonly adminUrl: string; readonly s3Url: string },
): void {
  saveChanged(configPath, { 'admin.addr': new URL(adminUrl).host, 'server.port': new URL(s3Url).host })
}

function saveChanged(configPath: string, values: Readonly<Record<string, string>>): void {
  const { tree } = readConfigFile(configPath)
  const changed = Object.entries(values).filter(([field, value]) => valueAt(tree, field) !== value)
  if (changed.length > 0) saveConfigFile(configPath, Object.fromEntries(changed))
}

export async function fundWallet(kernel: RunningKernel): Promise<void> {
  await kernel.get(walletSetup).ensureFunded({ deposit })
}

/** The user of an earlier run, or a new one with the role admin. */
export async function ensureS3User(kernel: RunningKernel, directory: DevDirectory): Promise<S3Credentials> {
  const users = kernel.get(s3Users)
  if (existsSync(directory.credentials)) {
    const kept = JSON.parse(readFileSync(directory.credentials, 'utf8')) as S3Credentials
    if (users.find(kept.access_key)) return kept
  }
  const { accessKey, secretKey } = await users.create('admin')
  const made = { access_key: accessKey, secret_key: secretKey }
  writePrivateFile(directory.credentials, `${JSON.stringify(made, null, 2)}\n`)
  return made
}
