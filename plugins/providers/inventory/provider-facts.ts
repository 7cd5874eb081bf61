import type { ContributedItem } from '#kernel/system'
import type { ProviderFactSource, ProviderFacts, ProviderFactsReader } from '../contract/provider-facts.ts'

export function createProviderFacts(sources: () => readonly ContributedItem<ProviderFactSource>[]): ProviderFactsReader {
  return {
    of(providerId) {
      const stated = sources().map(({ pluginId, item, services }): ProviderFacts => {
        try {
          return item.of(services, providerId) ?? {}
        } catch (cause) {
          throw new Error(`plugin '${pluginId}' cannot state its facts about provider ${providerId}: ${(cause as Error).message}`, {
            cause,
          })
        }
      })
      return Object.assign({}, ...stated)
    },
  }
}
