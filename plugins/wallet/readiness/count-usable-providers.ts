import { checkEgress } from '#kernel'
import { type ListedProvider, readProviderDirectory } from '../chain/provider-directory.ts'
import { readApprovedIds } from '../chain/readiness-reads.ts'
import type { Chain } from '../contract.ts'

/** Names looked up at once. */
const lookUpsAtOnce = 10
/** Sizes of objects that a provider must take. */
const pieceBytesMin = 127n
const pieceBytesMax = 1_065_353_216n

/** Providers that could be given a copy now, by what the chain says of them; none is asked. @throws ChainUnreachable */
export async function countUsableProviders(
  chain: Chain,
  { allowPrivateNetworks }: { readonly allowPrivateNetworks: boolean },
): Promise<number> {
  const [approved, listed] = await Promise.all([readApprovedIds(chain), readProviderDirectory(chain)])
  const urls = listed.flatMap((provider) => (approved.has(provider.id) && isFit(provider) ? [provider.serviceUrl ?? ''] : []))
  let usable = 0
  for (let at = 0; at < urls.length; at += lookUpsAtOnce) {
    const checks = await Promise.all(urls.slice(at, at + lookUpsAtOnce).map((url) => checkEgress(url, { allowPrivateNetworks })))
    usable += checks.filter(({ kind }) => kind === 'allowed').length
  }
  return usable
}

function isFit({ isActive, hasPdp, pieceBytesMin: min, pieceBytesMax: max }: ListedProvider): boolean {
  return isActive && hasPdp && (min ?? 0n) <= pieceBytesMin && (max ?? 0n) >= pieceBytesMax
}
