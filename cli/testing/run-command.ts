import { PassThrough } from 'node:stream'
import type { Command } from '#kernel/host'
import type { TestKernel } from '#kernel/testing'
import { typedName } from '../line/command-flags.ts'
import { runLine } from '../program.ts'

interface CommandEnd {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CommandWords {
  /** Values are in the order of the line. */
  readonly parameters?: Readonly<Record<string, string | readonly string[]>>
  readonly flags?: Readonly<Record<string, unknown>>
}

/** Runs a command of `svc admin` against a test kernel. */
export async function runCommand(command: Command | undefined, svc: TestKernel, { parameters = {}, flags = {} }: CommandWords = {}) {
  if (!command) throw new Error('there is no such command')
  const written = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr') => ({
    write(part: string | Uint8Array) {
      written[name] += typeof part === 'string' ? part : Buffer.from(part).toString()
    },
  })
  const given = Object.entries<unknown>({ adminUrl: svc.url, ...flags }).filter(([, value]) => value !== undefined && value !== false)
  const typed = given.map(([name, value]) => `--${typedName(name)}${value === true ? '' : `=${value}`}`)
  const line = [...command.name.split(' '), ...typed, '--', ...Object.values(parameters).flat()]
  const env = { SVC_ADMIN_PASSWORD: svc.password, SVC_CONFIG: `${svc.dir}/config.toml` }
  const streams = { cwd: () => svc.dir, stdin: new PassThrough().end(), stdout: sink('stdout'), stderr: sink('stderr') }
  const set = { commands: [command], switchedOff: new Map<string, string>(), resting: new Map<string, string>(), trouble: undefined }
  return { code: await runLine(line, set, { env, cwd: svc.dir, streams }), ...written } satisfies CommandEnd
}
