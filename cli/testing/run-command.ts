import type { Command } from '#kernel/host'
import type { TestKernel } from '#kernel/testing'
import { createOutput } from '../terminal/output.ts'

interface CommandEnd {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CommandWords {
  readonly parameters?: Readonly<Record<string, string | readonly string[]>>
  readonly flags?: Readonly<Record<string, unknown>>
}

/** Runs a command of `svc admin` against a test kernel, as the program does after parsing the line. */
export async function runCommand(command: Command | undefined, svc: TestKernel, { parameters = {}, flags = {} }: CommandWords = {}) {
  if (!command) throw new Error('there is no such command')
  const written = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr') => ({
    write(part: string | Uint8Array) {
      written[name] += typeof part === 'string' ? part : Buffer.from(part).toString()
    },
  })
  const out = createOutput({ isJson: flags.json === true, stdout: sink('stdout'), stderr: sink('stderr') })
  const { run } = await command.load()
  const env = { SVC_ADMIN_PASSWORD: svc.password, SVC_CONFIG: `${svc.dir}/config.toml` }
  const code = await run({ parameters, flags: { adminUrl: svc.url, timeout: 10_000, ...flags }, env, out })
  return { code: code ?? 0, ...written } satisfies CommandEnd
}
