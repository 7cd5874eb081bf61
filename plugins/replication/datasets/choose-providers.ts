import type { Reader } from '#kernel'
import { type AvailableProvider, judgeCandidates } from '#plugins/providers'
import { countLoad, providersOfBucket } from './load-store.ts'

/** The best providers for new replica slots of a bucket, at most `count`: eligible, and never used by it. */
export async function chooseProviders(
  reader: Reader,
  available: readonly AvailableProvider[],
  wanted: { readonly bucketId: number; readonly count: number; readonly pieceBytes: number },
): Promise<readonly AvailableProvider[]> {
  const [load, use] = await Promise.all([countLoad(reader), providersOfBucket(reader, wanted.bucketId)])
  const loaded = available.map((provider) => ({ ...provider, load: load.get(provider.providerId) ?? 0 }))
  return judgeCandidates(loaded, { ...wanted, ...use })
    .flatMap(({ provider, eligible, previouslyUsed }) => (eligible && !previouslyUsed ? [provider] : []))
    .slice(0, wanted.count)
}
