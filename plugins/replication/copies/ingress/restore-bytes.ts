import { UploadSourceDamaged, UploadSourceFailed } from '#plugins/providers'
import type { Pipeline } from '../../pipeline.ts'
import type { BatchItem } from '../records/batch-store.ts'
import { cachedBody } from './cached-file.ts'

/**
 * Uploads cached bytes again to a provider that discarded them, so that a batch can be sent again as signed. Failed uploads are retried
 * after the next refusal. False when a piece is not cached.
 */
export async function restoreBytes(
  { providers, log, cached }: Pick<Pipeline, 'cached' | 'log' | 'providers'>,
  serviceUrl: string,
  items: readonly BatchItem[],
  signal: AbortSignal,
): Promise<boolean> {
  let isCached = true
  for (const { contentId, pieceCid } of items) {
    const file = await cached.locate(contentId)
    if (!file) {
      isCached = false
      continue
    }
    signal.throwIfAborted()
    try {
      await providers.client(serviceUrl).upload({ pieceCid, body: cachedBody(file), signal })
    } catch (error) {
      if (!(error instanceof UploadSourceFailed)) throw error
      if (error instanceof UploadSourceDamaged) await cached.settle(contentId)
      log.warn('cached bytes could not be uploaded again', { content: contentId, provider: serviceUrl, error })
    }
  }
  return isCached
}
