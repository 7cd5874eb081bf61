import type { Reader } from '#kernel'
import {
  type AvailableProvider,
  type Candidate,
  type ChosenBecause,
  chooseCandidates,
  judgeCandidates,
  type ProviderChoice,
} from '#plugins/providers'
import type { DataSet } from './data-set-store.ts'
import { countLoad, providersOfBucket } from './load-store.ts'

/** The best providers for new replica slots of a bucket, at most `count`: eligible, and never used by it. */
export async function chooseProviders(
  reader: Reader,
  available: readonly AvailableProvider[],
  wanted: { readonly bucketId: number; readonly count: number; readonly pieceBytes: number },
): Promise<readonly (AvailableProvider & { readonly chosenBecause: ChosenBecause })[]> {
  const { loaded, use } = await describe(reader, available, wanted.bucketId)
  return chooseCandidates(loaded, { ...wanted, ...use })
}

/** Whether each provider could take the slot of the data set, best first. */
export async function judgeProviders(
  reader: Reader,
  available: readonly AvailableProvider[],
  { bucketId, providerId: source, pieceBytesMax: pieceBytes }: DataSet,
): Promise<readonly Candidate<AvailableProvider & ProviderChoice>[]> {
  const { loaded, use } = await describe(reader, available, bucketId)
  return judgeCandidates(loaded, { pieceBytes, source, ...use })
}

async function describe(reader: Reader, available: readonly AvailableProvider[], bucketId: number) {
  const [load, use] = await Promise.all([countLoad(reader), providersOfBucket(reader, bucketId)])
  return { loaded: available.map((provider) => ({ ...provider, load: load.get(provider.providerId) ?? 0 })), use }
}
