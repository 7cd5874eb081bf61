import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { CommandError } from '#kernel'

const bytesMax = 256 * 1024
const deadlineMs = 10_000

/** Text of a file, or of an http(s) URL that the operator named; svc itself asks none. */
export async function readSource(source: string, cwd: string): Promise<string> {
  const signal = AbortSignal.timeout(deadlineMs)
  try {
    return await collect(/^https?:\/\//i.test(source) ? await download(source, signal) : createReadStream(resolve(cwd, source), { signal }))
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    const why = signal.aborted
      ? `no answer within ${deadlineMs / 1000} s`
      : (((cause as Error).cause as Error | undefined)?.message ?? (cause as Error).message)
    throw new CommandError(`${source} cannot be read: ${why}`, { cause })
  }
}

async function download(url: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(url, { signal })
  if (!response.ok || !response.body) throw new CommandError(`${url} answered ${response.status}`)
  return response.body
}

async function collect(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const part of parts) {
    bytes += part.length
    if (bytes > bytesMax) throw new CommandError(`the release feed has more than ${bytesMax / 1024} KiB`)
    read.push(part)
  }
  return Buffer.concat(read).toString('utf8')
}
