import type { Reader } from '#kernel'
import { type AvailableProvider, type ChosenBecause, chooseCandidates } from '#plugins/providers'
import { countLoad, providersOfBucket } from './load-store.ts'

/** The best providers for new replica slots of a bucket, at most `count`: eligible, and never used by it. */
export async function chooseProviders(
  reader: Reader,
  available: readonly AvailableProvider[],
  wanted: { readonly bucketId: number; readonly count: number; readonly pieceBytes: number },
): Promise<readonly (AvailableProvider & { readonly chosenBecause: ChosenBecause })[]> {
  const [load, use] = await Promise.all([countLoad(reader), providersOfBucket(reader, wanted.bucketId)])
  const loaded = available.map((provider) => ({ ...provider, load: load.get(provider.providerId) ?? 0 }))
  return chooseCandidates(loaded, { ...wanted, ...use })
}
