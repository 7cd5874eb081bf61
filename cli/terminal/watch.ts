/** `--watch`: the same result again and again until Ctrl-C. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type CommandCall, CommandError, type FlagSpec } from '#kernel'
import { AdminRefusal } from '../client/admin-refusal.ts'
import { type Interrupt, watchInterrupt } from './interrupt.ts'

const watchIntervalMs = 2000

export const watchFlag = {
  type: 'switch',
  description: 'Show it again every 2 seconds until Ctrl-C; without a terminal only when it changed',
} as const satisfies FlagSpec

export interface Shown {
  readonly value: unknown
  readonly text: string
  /** Equal for results without a change worth a new block, such as a longer uptime. Default: the text. */
  readonly mark?: string
  /** Nothing follows it: `--watch` ends. Default: false. */
  readonly isLast?: boolean
}

/**
 * Shows what `read` returns, once or with `--watch` until Ctrl-C or the last result: in place on a terminal, elsewhere one block for each change, under
 * `--json` one JSON value a line. While the service does not answer it is asked again; a refusal ends the command.
 */
export async function showResult(
  { flags, out }: Pick<CommandCall<unknown, { readonly watch?: unknown }>, 'flags' | 'out'>,
  read: () => Promise<Shown>,
  intervalMs = watchIntervalMs,
): Promise<void> {
  const first = await read()
  if (flags.watch !== true) {
    out.result(first.value, first.text)
    return
  }
  using interrupt = watchInterrupt()
  let mark: string | undefined
  for (let shown: Shown | undefined = first; shown; shown = await readNext(read, intervalMs, interrupt)) {
    if (out.isTerminal && !out.isJson) out.refresh(shown.text)
    else if (mark !== markOf(shown)) await out.write(blockOf(shown, { isJson: out.isJson, isFirst: mark === undefined }))
    mark = markOf(shown)
    if (shown.isLast === true) return
  }
}

const markOf = ({ mark, text }: Shown): string => mark ?? text

function blockOf({ value, text }: Shown, { isJson, isFirst }: { readonly isJson: boolean; readonly isFirst: boolean }): string {
  if (isJson) return `${JSON.stringify(value)}\n`
  return isFirst ? `${text}\n` : `\n${text}\n`
}

/** Returns undefined after Ctrl-C. */
async function readNext(read: () => Promise<Shown>, intervalMs: number, { signal }: Interrupt): Promise<Shown | undefined> {
  // The pause ends early at Ctrl-C, which `signal` tells.
  await sleep(intervalMs, undefined, { signal }).catch(() => undefined)
  if (signal.aborted) return undefined
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>()
  const stop = () => resolve(undefined)
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([read().catch(showSilence), stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function showSilence(error: unknown): Shown {
  if (!(error instanceof CommandError) || error instanceof AdminRefusal) throw error
  return { value: { error: error.message }, text: error.message }
}
