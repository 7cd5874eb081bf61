import { hash } from 'node:crypto'
import { type Database, SvcError } from '#kernel'
import type { Packs } from '#plugins/storage'
import { indexedOf, versionsOf } from '../sealing/member-store.ts'
import type { NewRecord } from '../segment/segment-writer.ts'
import type { StoredContent } from './stored-store.ts'

/** Contents that are read at the same time; each has at most `packs.object_bytes_max`. */
const readsAtOnce = 8

interface ReadDeps {
  readonly database: Pick<Database, 'read'>
  readonly packs: Pick<Packs, 'open'>
  readonly signal: AbortSignal
}

/** The records of these contents, from the cache or a provider. Each is compared with its SHA-256 (I-30, I-31); those that cannot be read are left out. */
export async function* readStored(
  deps: ReadDeps,
  contents: readonly StoredContent[],
  onUnreadable: (contentId: number) => void,
): AsyncGenerator<NewRecord, void, void> {
  for (let at = 0; at < contents.length; at += readsAtOnce) {
    deps.signal.throwIfAborted()
    const some = contents.slice(at, at + readsAtOnce)
    const ids = some.map(({ contentId }) => contentId)
    const [versions, bodies] = await Promise.all([
      versionsOf(deps.database.read, ids),
      Promise.all(some.map((content) => readContent(deps, content))),
    ])
    for (const [index, { contentId: content, sha256 }] of some.entries()) {
      const bytes = bodies[index]
      if (bytes) yield { content, sha256, bytes, ...indexedOf(versions.get(content)) }
      else onUnreadable(content)
    }
  }
}

/** Returns undefined when the bytes are nowhere now, or are not those of the content. */
async function readContent({ packs, signal }: ReadDeps, { contentId, size, sha256 }: StoredContent): Promise<Buffer | undefined> {
  try {
    await using content = await packs.open(contentId)
    const blocks: Uint8Array[] = []
    for await (const block of content.read({ start: 0, end: size - 1 })) {
      signal.throwIfAborted()
      blocks.push(block)
    }
    const bytes = Buffer.concat(blocks)
    return bytes.length === size && hash('sha256', bytes) === sha256 ? bytes : undefined
  } catch (error) {
    // Its own provider is asked again by the next request of an operator.
    if (error instanceof SvcError && error.code === 'content_unavailable') return undefined
    throw error
  }
}
