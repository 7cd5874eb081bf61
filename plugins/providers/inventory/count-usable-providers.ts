import { checkEgress, type UsableProviders } from '#plugins/wallet'
import { readApprovedIds, readRegistry } from '../chain/provider-registry.ts'
import { pieceBytesMin } from '../client/provider-limits.ts'

/** Concurrent DNS lookups. */
const lookupsAtOnce = 10

/** Ignores the registered minimum: providers register 1 MiB by default but accept pieces from 127 bytes. */
export const countUsableProviders: UsableProviders = {
  name: 'providers',
  async count(chain, { allowPrivateNetworks }) {
    const [approved, listed] = await Promise.all([readApprovedIds(chain), readRegistry(chain)])
    const urls = listed.flatMap(({ providerId, isActive, problem, serviceUrl = '', pieceBytesMax = 0n }) =>
      approved.has(providerId) && isActive && problem === undefined && pieceBytesMax >= pieceBytesMin ? [serviceUrl] : [],
    )
    let usable = 0
    for (let at = 0; at < urls.length; at += lookupsAtOnce) {
      const checks = await Promise.all(urls.slice(at, at + lookupsAtOnce).map((url) => checkEgress(url, { allowPrivateNetworks })))
      usable += checks.filter(({ kind }) => kind === 'allowed').length
    }
    return usable
  },
}
