import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandError } from '#kernel'

export interface PromptStreams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stderr: { readonly isTTY?: boolean; write(text: string): unknown }
}

/** A prompt needs a terminal for both the question and the answer. */
export const canPrompt = ({ stdin, stderr }: PromptStreams): boolean => stdin.isTTY === true && stderr.isTTY === true

/** Asks on standard error and reads one line from the terminal without showing it. Throws CommandError on Ctrl-C and without a terminal. */
export async function promptSecret(question: string, streams: PromptStreams): Promise<string> {
  if (!canPrompt(streams)) throw new CommandError(`cannot ask "${question.trim()}": there is no terminal`)
  // readline echoes the answer into its output, so the output discards it.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: streams.stdin, output: nowhere, terminal: true })
  // After createInterface has switched off the echo of the terminal.
  streams.stderr.write(question)
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.on('SIGINT', () => reject(new CommandError('cancelled')))
      lines.on('close', () => reject(new CommandError('cancelled: the input ended')))
      lines.question('', resolve)
    })
  } finally {
    lines.close()
    streams.stderr.write('\n')
  }
}
