import { checkEgress } from '#kernel'
import { type ListedProvider, readProviderDirectory } from '../chain/provider-directory.ts'
import { readApprovedIds } from '../chain/readiness-reads.ts'
import type { Chain } from '../contract.ts'

/** Names looked up at once. */
const lookUpsAtOnce = 10
/** The smallest object. Larger ones are compared with the registered maximum when they are placed. */
const pieceBytesMin = 127n

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

/** The registered minimum is ignored: providers register 1 MiB by default and take any piece from 127 bytes. */
function isFit({ isActive, hasPdp, pieceBytesMax: max }: ListedProvider): boolean {
  return isActive && hasPdp && (max ?? 0n) >= pieceBytesMin
}
