import { fileBody } from '../chain/upload-body.ts'
import type { Pipeline } from '../pipeline.ts'
import type { BatchItem } from './batch-store.ts'

/**
 * Brings cached bytes to a provider that discarded them, so that a batch can be sent again just as it was signed. Pieces that are not
 * cached, or not taken now, are left to the next refusal.
 */
export async function restoreBytes(
  { providers, locateCached }: Pipeline,
  serviceUrl: string,
  items: readonly BatchItem[],
  signal: AbortSignal,
): Promise<void> {
  for (const { contentId, pieceCid } of items) {
    const file = await locateCached(contentId)
    if (!file) continue
    const body = fileBody(file.path, { size: file.size })
    signal.throwIfAborted()
    await providers.client(serviceUrl).upload({ pieceCid, body, signal })
  }
}
