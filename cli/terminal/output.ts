import type { Output } from '#kernel'
import { createLiveOutput } from './live-output.ts'

interface Sink {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Results go to `stdout`, alone when they are JSON; notes go to `stderr`. Token amounts become decimal strings. */
export function createOutput({
  isJson,
  stdout,
  stderr,
  askSecret,
}: {
  readonly isJson: boolean
  readonly stdout: Sink
  readonly stderr: Sink
  readonly askSecret?: Output['askSecret']
}): Output {
  return {
    isJson,
    isTerminal: stdout.isTTY === true,
    result: (value, text) => void stdout.write(endLine(isJson ? JSON.stringify(value, writeBigint, 2) : text)),
    note: (line) => void stderr.write(endLine(line)),
    ...(askSecret ? { askSecret } : {}),
    ...createLiveOutput({ isJson, stdout, stderr }),
  }
}

const writeBigint = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value)
const endLine = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
