import { execFile } from 'node:child_process'
import { delimiter } from 'node:path'
import type { Place } from './client.ts'

interface RunOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly timeoutMs: number
}

const outputBytesMax = 16 * 1024 * 1024

/** Returns the standard output. Throws with the end of both outputs when the program fails or exceeds its time. */
export function runProgram([program = '', ...args]: readonly string[], { cwd, env, timeoutMs }: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { cwd, env: { ...env }, timeout: timeoutMs, maxBuffer: outputBytesMax },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout)
        const end = error.killed ? `ended after ${timeoutMs / 1000} s` : `failed with ${error.code}`
        reject(new Error(`${program} ${end}: ${`${stdout}\n${stderr}`.trim().slice(-2000)}`, { cause: error }))
      },
    )
    child.stdin?.end()
  })
}

/** A home without settings of this machine's user. */
export const programEnv = ({ dir, programDir }: Place) => ({
  PATH: [programDir, process.env.PATH].join(delimiter),
  HOME: dir,
  LC_ALL: 'C.UTF-8',
  // It may name a mirror of providers.
  TF_CLI_CONFIG_FILE: process.env.TF_CLI_CONFIG_FILE,
})
