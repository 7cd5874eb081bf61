import { resolve } from 'node:path'
import type { CommandCall } from '#kernel'
import { defaultDataDir } from '#kernel/host'
import { objectSizes, smallObjectClients, widestObjectSizes } from '#plugins/storage'
import { programName } from '../program-name.ts'
import { anySizeValues, makeRuntimeDirectory } from '../runtime-directory.ts'
import { shellWord } from '../shell-word.ts'

/** Prints the password once on a terminal and does not store it; elsewhere writes it to a private file. */
export async function run(call: CommandCall<unknown, { dir: string | undefined; anySize: boolean }>): Promise<undefined> {
  const { flags, env, cwd = '', out } = call
  const dir = flags.dir === undefined ? defaultDataDir(env) : resolve(cwd, flags.dir)
  const values = flags.anySize ? anySizeValues : {}
  const made = await makeRuntimeDirectory({ dir, storesPassword: !out.isTerminal, values })
  const svc = programName(env)
  const lines = [
    `Data directory: ${made.dir}`,
    `Config: ${made.configPath}`,
    `Admin username: ${made.username}`,
    made.passwordPath === undefined ? `Admin initial password: ${made.password}` : `Admin initial password file: ${made.passwordPath}`,
    `Wallet key: set chain.private_key in the config, or SVC_CHAIN_PRIVATE_KEY; ${svc} wallet generate creates one`,
    `Object sizes: ${describeSizes(flags.anySize)}`,
    `Next: ${svc} serve${flags.dir === undefined ? '' : ` --config ${shellWord(made.configPath)}`}`,
  ]
  const result = {
    data_dir: made.dir,
    config: made.configPath,
    username: made.username,
    ...(made.passwordPath === undefined ? { password: made.password } : { password_file: made.passwordPath }),
  }
  out.result(result, lines.join('\n'))
}

function describeSizes(isAnySize: boolean): string {
  const { bytesMin, bytesMax } = isAnySize ? widestObjectSizes : objectSizes
  const sizes = `${bytesMin} to ${bytesMax.toLocaleString('en-US')} bytes`
  return isAnySize ? sizes : `${sizes}; ${smallObjectClients} need smaller ones: set s3.object_sizes = "any" in the config for them`
}
