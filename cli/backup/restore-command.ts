import { join, resolve } from 'node:path'
import type { CommandCall } from '#kernel'
import { prepareKernel } from '#kernel/host'
import { builtinPlugins } from '../../plugins/index.ts'
import { programName } from '../program-name.ts'
import { shellWord } from '../shell-word.ts'
import { watchInterrupt } from '../terminal/interrupt.ts'
import { formatSize } from '../terminal/size.ts'
import { missingSecrets } from './backup-config.ts'
import { databaseName } from './backup-layout.ts'
import { lockIfWritable } from './backup-target.ts'
import { requireManifest } from './manifest.ts'
import { fileSources, requireCurrentTables } from './open-source.ts'
import { requireEmpty, restoreBackup } from './restore-backup.ts'

type RestoreCall = CommandCall<{ dir: string }, { to: string }>

export async function run(call: RestoreCall): Promise<undefined> {
  const { flags, out, env, cwd = '' } = call
  using interrupt = watchInterrupt()
  const [dir, to] = [resolve(cwd, call.parameters.dir), resolve(cwd, flags.to)]
  const manifest = requireManifest(dir)
  requireEmpty(to)
  using _lock = lockIfWritable(dir)
  const prepare = (configPath: string, dataDir: string) => prepareKernel({ plugins: builtinPlugins, configPath, dataDir, env })
  // Plugins of the backup decide about its tables and files.
  const saved = await prepare(join(dir, manifest.run, 'config.toml'), to)
  await requireCurrentTables(saved, join(dir, manifest.run, databaseName))
  const onProgress = (line: string) => out.progress?.(line)
  const configPath = await restoreBackup({ dir, manifest, to, sources: fileSources(saved), signal: interrupt.signal, onProgress })
  out.progress?.('')
  const missing = missingSecrets(await prepare(configPath, to))
  const svc = programName(env)
  const config = ` --config ${shellWord(configPath)}`
  const elsewhere = manifest.only_at_providers
  const lines = [
    `Restored to ${to}: every object that was acknowledged before ${manifest.started_at}`,
    `Files: ${manifest.files}, ${formatSize(manifest.file_bytes)}; only at providers: ${elsewhere.contents} contents, ${formatSize(elsewhere.bytes)}, read from there when they are needed`,
    ...(missing.length === 0 ? [] : [`Not in the backup: ${missing.join(', ')}`]),
    ...(missing.some((field) => field.startsWith('admin.auth.'))
      ? [`Set a new Admin password: ${svc} admin-auth reset-password${config}`]
      : []),
    `No backup has the second factor of the local admin: it is off until ${svc} admin totp begin`,
    'Make sure that the former gateway does not run: two gateways with one wallet would both pay',
    `Next: ${svc} doctor${config}, then ${svc} serve${config}`,
  ]
  out.result({ data_dir: to, config: configPath, ...manifest, missing_secrets: missing }, lines.join('\n'))
}
