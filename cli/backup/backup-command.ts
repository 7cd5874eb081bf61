import { dirname, resolve } from 'node:path'
import { type CommandCall, CommandError } from '#kernel'
import { prepareKernel } from '#kernel/host'
import { builtinPlugins } from '../../plugins/index.ts'
import { findPlace } from '../command-settings.ts'
import { watchInterrupt } from '../terminal/interrupt.ts'
import { formatSize } from '../terminal/size.ts'
import { refuseUnusable } from '../unusable-config.ts'
import { renderBackupConfig } from './backup-config.ts'
import { openTarget } from './backup-target.ts'
import { type BackupResult, makeBackup } from './make-backup.ts'
import { fileSources, findDatabase } from './open-source.ts'

/** Exit code as that of `svc doctor` with warnings only: the backup is complete except for files that are damaged in the cache. */
const exitDamaged = 3
const damagedShownMax = 20

type BackupCall = CommandCall<{ dir: string }, { all: boolean; withSecrets: boolean }>

export async function run(call: BackupCall): Promise<number> {
  const { flags, out, cwd = '' } = call
  using interrupt = watchInterrupt()
  const dir = resolve(cwd, call.parameters.dir)
  const prepared = await prepareKernel({ plugins: builtinPlugins, ...findPlace(call), env: call.env })
  refuseUnusable(prepared, call)
  const databasePath = await findDatabase(prepared)
  const sources = fileSources(prepared)
  const inside = [dirname(databasePath), ...sources.map(({ directory }) => directory)].find((path) => `${dir}/`.startsWith(`${path}/`))
  if (inside !== undefined) throw new CommandError(`${dir} is inside ${inside}, which it is to save; name a directory on another disk`)
  using target = await openTarget(dir)
  const result = await makeBackup({
    ...{ target, databasePath, sources },
    isAll: flags.all,
    config: renderBackupConfig(prepared, { withSecrets: flags.withSecrets, dataDir: findPlace(call).dataDir }),
    withSecrets: flags.withSecrets,
    signal: interrupt.signal,
    onProgress: (line) => out.progress?.(line),
  })
  out.progress?.('')
  const { manifest, copied, copiedBytes, damaged } = result
  out.result(
    { directory: dir, ...manifest, copied_files: copied, copied_bytes: copiedBytes, damaged_files: damaged },
    describe(dir, result),
  )
  return damaged.length === 0 ? 0 : exitDamaged
}

function describe(dir: string, { manifest, copied, copiedBytes, damaged }: BackupResult): string {
  const { only_at_providers: elsewhere } = manifest
  const lines = [
    `Backup in ${dir}: every object that was acknowledged before ${manifest.started_at}`,
    `Database: ${formatSize(manifest.database_bytes)}; files: ${manifest.files}, ${formatSize(manifest.file_bytes)}, of which ${copied} (${formatSize(copiedBytes)}) are new`,
    `Only at providers: ${elsewhere.contents} contents, ${formatSize(elsewhere.bytes)}`,
    manifest.with_secrets
      ? 'The configuration is in it with its secrets: keep the directory as safe as the wallet key'
      : 'The configuration is in it without secrets: keep chain.private_key elsewhere. The database has the keys of S3 users',
  ]
  if (damaged.length === 0) return lines.join('\n')
  lines.push(`Damaged in the cache, and not in the backup: ${damaged.length} files; run svc doctor --whole`)
  lines.push(...damaged.slice(0, damagedShownMax).map(({ path, meaning }) => `  ${meaning} (${path})`))
  return lines.join('\n')
}
