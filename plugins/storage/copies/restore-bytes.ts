import { UploadSourceDamaged, UploadSourceFailed } from '../chain/upload-body.ts'
import type { Pipeline } from '../pipeline.ts'
import type { BatchItem } from './batch-store.ts'
import { cachedBody } from './cached-file.ts'

/**
 * Brings cached bytes to a provider that discarded them, so that a batch can be sent again just as it was signed. Pieces that are not
 * cached whole, or not taken now, are left to the next refusal. False when one is not cached.
 */
export async function restoreBytes(
  { providers, log, locateCached, forgetCached }: Pipeline,
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
    signal.throwIfAborted()
    try {
      await providers.client(serviceUrl).upload({ pieceCid, body: cachedBody(file), signal })
    } catch (error) {
      if (!(error instanceof UploadSourceFailed)) throw error
      if (error instanceof UploadSourceDamaged) await forgetCached(contentId, file)
      log.warn('cached bytes could not be brought back to a provider', { content: contentId, provider: serviceUrl, error })
    }
  }
  return isCached
}
