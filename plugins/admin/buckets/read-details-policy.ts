import type { BucketDetails } from '../contract.ts'

/** Throws on what JSON cannot say and on replacements without a time: one part must not break the answer. */
export function readDetails(details: BucketDetails): BucketDetails {
  const { replacements = [], notReplaceable = [], members = {} }: BucketDetails = JSON.parse(JSON.stringify(details))
  for (const { id, created_at } of replacements) {
    if (Number.isNaN(Date.parse(created_at))) throw new Error(`replacement ${id} has the time '${created_at}'`)
  }
  return { replacements: [...replacements], notReplaceable: [...notReplaceable], members }
}
