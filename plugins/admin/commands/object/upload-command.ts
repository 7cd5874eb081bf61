import { type FileHandle, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type AdminCall, formatFacts, formatSize, openAdminClient } from '#cli'
import { CommandError } from '#kernel'
import { uploadObject } from '../../objects/object-api.ts'
import type { NamedObject } from './read-history.ts'
import { showProgress } from './show-progress.ts'

const blockBytes = 256 * 1024

type UploadCall = AdminCall<NamedObject & { file: string }, { contentType: string }>

export async function run(call: UploadCall): Promise<undefined> {
  const { bucket, key } = call.parameters
  const { contentType } = call.flags
  await using source = await openSource(call)
  const client = await openAdminClient(call)
  const bytes = showProgress(source.bytes, source.size, call.out)
  const uploaded = await client.upload(
    uploadObject,
    { params: { name: bucket }, query: { key } },
    { bytes, size: source.size, contentType },
  )
  // The answer can come before the end of the source is read: the progress bar is removed before the result is shown.
  await bytes.return(undefined)
  const text = formatFacts([
    ['Object uploaded', uploaded.key],
    ['Version', uploaded.version_id],
    ['Size', formatSize(uploaded.size)],
    ['ETag', uploaded.etag],
    ['Content type', uploaded.content_type],
  ])
  call.out.result(uploaded, text)
}

interface Source extends AsyncDisposable {
  readonly bytes: AsyncIterable<Uint8Array>
  /** Is undefined for a pipe, whose length is known only at its end. */
  readonly size: number | undefined
}

async function openSource({ parameters, cwd = process.cwd() }: UploadCall): Promise<Source> {
  const { file } = parameters
  if (file === '-') return { bytes: process.stdin, size: undefined, async [Symbol.asyncDispose]() {} }
  const path = resolve(cwd, file)
  const handle = await open(path).catch((cause: Error) => {
    throw new CommandError(`${path} cannot be read: ${cause.message}`, { cause })
  })
  const found = await handle.stat()
  if (found.isDirectory()) {
    await handle.close()
    throw new CommandError(`${path} is a directory; an object is one file`)
  }
  const size = found.isFile() ? found.size : undefined
  return { bytes: readFile(handle, { path, size }), size, [Symbol.asyncDispose]: () => handle.close() }
}

/** The request has declared this length: the upload fails when the file shrinks or grows before its end is read. */
async function* readFile(handle: FileHandle, { path, size }: { readonly path: string; readonly size: number | undefined }) {
  let sent = 0
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(blockBytes), 0, blockBytes, null)
      if (bytesRead === 0) break
      sent += bytesRead
      if (size !== undefined && sent > size) break
      yield buffer.subarray(0, bytesRead)
    }
  } catch (cause) {
    throw new CommandError(`${path} cannot be read: ${(cause as Error).message}`, { cause })
  }
  if (size !== undefined && sent !== size) throw new CommandError(`${path} changed during the upload; try again once it is complete`)
}
