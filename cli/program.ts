/** Runs a command line with a set of commands, or shows help. */
import type { CommandSet } from './command-set.ts'
import { readLine } from './line/read-line.ts'
import { renderHelp } from './line/render-help.ts'
import { chooseStyle } from './line/text-style.ts'
import { createOutput } from './terminal/output.ts'
import { canPrompt, type PromptStreams, promptSecret } from './terminal/prompt.ts'

/** The part of a process that a command uses; `process` itself is one. */
export interface Streams extends PromptStreams {
  readonly stdout: { readonly isTTY?: boolean; write(text: string): unknown }
  cwd(): string
}

interface ProgramContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly streams: Streams
}

/** Resolves with the exit code. Throws CommandError with code 2 on a usage error, and the errors of the command. */
export async function runLine(line: readonly string[], set: CommandSet, { env, cwd, streams }: ProgramContext): Promise<number> {
  const { named, flags, parameters } = await readLine(line, set)
  if (!named || !('load' in named) || flags.help === true) {
    streams.stdout.write(renderHelp(named, set.commands, chooseStyle(streams.stdout, env)))
    return 0
  }
  const { run } = await named.load()
  const out = createOutput({
    isJson: flags.json === true,
    stdout: streams.stdout,
    stderr: streams.stderr,
    askSecret: (question) => (canPrompt(streams) ? promptSecret(question, streams) : undefined),
  })
  return (await run({ parameters, flags, env, cwd, out })) ?? 0
}
