import { defineBucketDetailPart } from 'svc/plugins/admin'
import { legalHoldSection } from './settings.ts'

/** Adds the prefix to the details of every bucket, and marks held data sets as not replaceable. */
export const holdDetails = defineBucketDetailPart({
  name: 'legal-hold',
  uses: { settings: legalHoldSection.settings },
  describe: ({ settings }, { dataSets }) => ({
    members: { legal_hold: { prefix: settings.prefix } },
    notReplaceable: dataSets.flatMap(({ id }) => (settings.data_sets.includes(String(id)) ? id : [])),
  }),
})
