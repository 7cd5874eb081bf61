import { resolve } from 'node:path'
import type { CommandCall } from '#kernel'
import { watchInterrupt } from '../terminal/interrupt.ts'
import { lockIfWritable } from './backup-target.ts'
import { requireManifest } from './manifest.ts'
import { verifyBackup } from './verify-backup.ts'

/** Exit code: 0 everything is there, 1 a file is missing or damaged. */
export async function run(call: CommandCall<{ dir: string }>): Promise<number> {
  const { out, cwd = '' } = call
  using interrupt = watchInterrupt()
  const dir = resolve(cwd, call.parameters.dir)
  const manifest = requireManifest(dir)
  using _lock = lockIfWritable(dir)
  const verified = await verifyBackup(dir, manifest, { signal: interrupt.signal, onProgress: (line) => out.progress?.(line) })
  out.progress?.('')
  const { compared, problems, problemCount } = verified
  out.result({ directory: dir, started_at: manifest.started_at, compared, problems, problem_count: problemCount }, describe(dir, verified))
  return problemCount === 0 ? 0 : 1
}

function describe(dir: string, { compared, problems, problemCount }: Awaited<ReturnType<typeof verifyBackup>>): string {
  if (problemCount === 0) return `${compared} files compared: the backup in ${dir} is intact`
  const more = problemCount > problems.length ? [`  … and ${problemCount - problems.length} more`] : []
  return [
    `${problemCount} of ${compared} files are missing or damaged:`,
    ...problems.map(({ path, problem }) => `  ${path} is ${problem}`),
    ...more,
    'Delete the damaged files and run svc backup again: it copies them if the gateway still has them. Else use another copy of the directory.',
  ].join('\n')
}
