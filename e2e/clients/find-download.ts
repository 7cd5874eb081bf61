import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import type { Client } from './client.ts'
import { shell } from './languages/languages.ts'
import { programEnv, runProgram } from './run-program.ts'

const downloadMs = 300_000

/** Why the download of a client cannot be had here; undefined for a client without one. */
export async function findDownloadProblem(client: Client, programDir: string): Promise<string | undefined> {
  const { download } = client
  if (download === undefined) return undefined
  using temporary = temporaryDirectory()
  const place = { dir: temporary.path, programDir }
  try {
    await runProgram(shell.command(client, { name: 'download', commands: download.commands, check: async () => undefined }), {
      cwd: temporary.path,
      env: programEnv(place),
      timeoutMs: downloadMs,
    })
    return undefined
  } catch (error) {
    return download.unreachable.test((error as Error).message) ? download.reason : undefined
  }
}
