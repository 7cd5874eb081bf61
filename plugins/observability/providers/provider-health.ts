/** The health of all registered providers, from the stored inventory and our own measurements. */
import { type Clock, defineService, type SettingValues } from '#kernel'
import type { observabilitySection, Providers } from '#plugins/providers'
import { isChainUnreachable } from '#plugins/wallet'
import type { HealthTime } from '../health/health-policy.ts'
import type { MissedProofs } from '../health/missed-proofs.ts'
import { requirePart } from '../health/require-part.ts'
import { judgeProvider, type ProviderFindings } from './judge-provider-policy.ts'

export interface JudgedProvider extends ProviderFindings {
  readonly observation: ReturnType<typeof judgeProvider>
}

export interface ProviderRound {
  /** Sorted by numeric id. */
  readonly judged: readonly JudgedProvider[]
  readonly time: HealthTime
  /** The last read of the registry that succeeded. */
  readonly readAtMs: number | null
}

interface ProviderHealthReader {
  /** False while the plugin providers is disabled: then the other members reject with `plugin_disabled`. */
  readonly isEnabled: boolean
  read(): Promise<ProviderRound>
  /** Reads the registry and pings the providers. Resolves also when the chain does not answer: the list says so. */
  refresh(): Promise<void>
}

export const providerHealth = defineService<ProviderHealthReader>('observability.provider-health')

interface HealthDeps {
  readonly providers: Pick<Providers, 'inventory' | 'refresh' | 'scoreOf' | 'turns'> | undefined
  readonly missedProofs: { byProvider(): Promise<ReadonlyMap<string, MissedProofs>> } | undefined
  readonly settings: SettingValues<(typeof observabilitySection)['keys']> | undefined
  readonly clock: Clock
}

export function createProviderHealth({ missedProofs, clock, ...deps }: HealthDeps): ProviderHealthReader {
  return {
    isEnabled: deps.providers !== undefined,
    async read() {
      const providers = requirePart(deps.providers, 'providers')
      const { interval: intervalMs } = requirePart(deps.settings, 'providers')
      const [inventory, missed] = await Promise.all([providers.inventory(), missedProofs?.byProvider()])
      const time = { nowMs: clock.now(), intervalMs }
      const judged = inventory.providers.map((provider): JudgedProvider => {
        const { providerId, serviceUrl } = provider
        const findings = {
          provider,
          score: providers.scoreOf(provider),
          missed: missed?.get(providerId),
          isUnresponsive: serviceUrl !== null && providers.turns.isUnresponsive(serviceUrl),
        }
        return { ...findings, observation: judgeProvider(findings, inventory, time) }
      })
      return { judged, time, readAtMs: inventory.readAtMs }
    },
    async refresh() {
      try {
        await requirePart(deps.providers, 'providers').refresh()
      } catch (error) {
        if (!isChainUnreachable(error)) throw error
      }
    },
  }
}
