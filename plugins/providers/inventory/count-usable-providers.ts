import { type ListedProvider, readProviderDirectory } from '../../wallet/chain/provider-directory.ts'
import { readApprovedIds } from '../../wallet/chain/readiness-reads.ts'
import type { Chain } from '../../wallet/contract.ts'
import { checkEgress } from '../../wallet/egress/check-egress.ts'

/** Concurrent DNS lookups. */
const lookupsAtOnce = 10
/** Size of the smallest object. Placement compares larger objects with the registered maximum. */
const pieceBytesMin = 127n

/** Counts providers that could store a copy now, from chain data alone: sends no request to providers. @throws ChainUnreachable */
export async function countUsableProviders(
  chain: Chain,
  { allowPrivateNetworks }: { readonly allowPrivateNetworks: boolean },
): Promise<number> {
  const [approved, listed] = await Promise.all([readApprovedIds(chain), readProviderDirectory(chain)])
  const urls = listed.flatMap((provider) => (approved.has(provider.id) && isUsable(provider) ? [provider.serviceUrl ?? ''] : []))
  let usable = 0
  for (let at = 0; at < urls.length; at += lookupsAtOnce) {
    const checks = await Promise.all(urls.slice(at, at + lookupsAtOnce).map((url) => checkEgress(url, { allowPrivateNetworks })))
    usable += checks.filter(({ kind }) => kind === 'allowed').length
  }
  return usable
}

/** Ignores the registered minimum: providers register 1 MiB by default but accept pieces from 127 bytes. */
function isUsable({ isActive, hasPdp, pieceBytesMax: max }: ListedProvider): boolean {
  return isActive && hasPdp && (max ?? 0n) >= pieceBytesMin
}
