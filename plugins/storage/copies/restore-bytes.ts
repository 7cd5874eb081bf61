import { fileBody } from '../chain/upload-body.ts'
import type { Pipeline } from '../pipeline.ts'
import type { BatchItem } from './batch-store.ts'

/**
 * Brings cached bytes to a provider that discarded them, so that a batch can be sent again just as it was signed. Pieces that are not
 * taken now are left to the next refusal. False when one is not cached.
 */
export async function restoreBytes(
  { providers, locateCached }: Pipeline,
  serviceUrl: string,
  items: readonly BatchItem[],
  signal: AbortSignal,
): Promise<boolean> {
  let isCached = true
  for (const { contentId, pieceCid } of items) {
    const file = await locateCached(contentId)
    if (!file) {
      isCached = false
      continue
    }
    const body = fileBody(file.path, { size: file.size })
    signal.throwIfAborted()
    await providers.client(serviceUrl).upload({ pieceCid, body, signal })
  }
  return isCached
}
