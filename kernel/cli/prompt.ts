import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandError } from './command.ts'

/** Whether stdin and stderr are a terminal. */
export const canPrompt = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Asks on standard error and reads one line from the terminal without showing it. Throws CommandError on Ctrl-C and where there is no terminal. */
export async function promptSecret(question: string): Promise<string> {
  if (!canPrompt()) throw new CommandError(`${question.trim()} cannot be asked for: there is no terminal`)
  // readline echoes into its output, so it gets one that discards everything.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  // Only after the terminal's own echo is off.
  process.stderr.write(question)
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.on('SIGINT', () => reject(new CommandError('cancelled')))
      lines.on('close', () => reject(new CommandError('cancelled: the input ended')))
      lines.question('', resolve)
    })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
