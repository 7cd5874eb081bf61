import type { Log } from '#kernel'
import type { ProviderFactsReader } from '#plugins/providers'
import type { DataSetRecord } from '#plugins/replication'
import type { ProviderIdentity } from './bucket-api.ts'

export type ShowProvider = (record: Pick<DataSetRecord, 'providerId' | 'serviceUrl'>) => ProviderIdentity

/** Describes a provider with its region. Facts that cannot be read are left out. */
export const showProviderWith =
  ({ providerFacts, log }: { readonly providerFacts: ProviderFactsReader | undefined; readonly log: Log }): ShowProvider =>
  ({ providerId, serviceUrl }) => {
    const identity = { registry_provider_id: providerId, service_url: serviceUrl }
    try {
      const region = providerFacts?.of(providerId).region
      return region === undefined ? identity : { ...identity, location: region }
    } catch (error) {
      log.warn('facts about a provider could not be read', { providerId, error })
      return identity
    }
  }
