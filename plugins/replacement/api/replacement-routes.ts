import { defineRoutes, serveEndpoint } from '#kernel'
import { providers } from '#plugins/providers'
import { placements } from '#plugins/replication'
import { buckets } from '#plugins/storage'
import { type Replacement, type ReplacementCandidate, replacements } from '../contract.ts'
import { replacementErrors } from '../errors.ts'
import { describeReplacements } from './describe-replacement.ts'
import { readConfirmation } from './read-confirmation.ts'
import type { ReplacementAnswer } from './record-api.ts'
import {
  type Candidate,
  confirmReplacement,
  listCandidates,
  listReplacements,
  replacementPageSizes,
  retryReplacement,
  showReplacement,
} from './replacement-api.ts'

export const replacementRoutes = defineRoutes({
  name: 'storage-replacements',
  uses: { replacements, placements, buckets, providers },
  endpoints: [listCandidates, confirmReplacement, listReplacements, showReplacement, retryReplacement],
  register(app, deps) {
    const { replacements, buckets, providers } = deps

    async function show(replacement: Replacement | undefined): Promise<ReplacementAnswer> {
      const [answer] = await describeReplacements(deps, replacement ? [replacement] : [])
      if (!answer) throw replacementErrors.replacement_not_found()
      return answer
    }

    serveEndpoint(app, listCandidates, async ({ params: { name, id } }) => {
      const found = await replacements.candidates({ bucketId: buckets.require(name).id, dataSetId: id })
      return { providers: found.map((candidate) => describeCandidate(candidate, providers.scoreOf(candidate.provider))) }
    })

    serveEndpoint(app, confirmReplacement, async ({ params: { name, id }, body, reply }) => {
      const wanted = readConfirmation(body, { dataSetId: id, origin: 'operator' })
      const { replacement, isRepeat } = await replacements.confirm({ ...wanted, bucketId: buckets.require(name).id })
      const answer = await show(replacement)
      if (isRepeat) reply.code(200).send(answer)
      return answer
    })

    serveEndpoint(app, listReplacements, async ({ query: { status, bucket, limit = replacementPageSizes.usual, cursor } }) => {
      const found = await replacements.list({
        ...(status !== undefined && { statuses: [status] }),
        ...(bucket !== undefined && { bucketId: buckets.require(bucket).id }),
        ...(cursor !== undefined && { before: cursor }),
        limit: limit + 1,
      })
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1) : undefined
      return { replacements: await describeReplacements(deps, page), ...(last && { next_cursor: last.id }) }
    })

    serveEndpoint(app, showReplacement, async ({ params: { id } }) => show(await replacements.find(id)))

    serveEndpoint(app, retryReplacement, async ({ params: { id } }) => show(await replacements.retry(id)))
  },
})

function describeCandidate(
  { provider, isEligible, ineligibleReason, wasUsed }: ReplacementCandidate,
  score: { readonly isFailing: boolean; readonly upload: { readonly bytesPerSecond: number | undefined } | undefined } | undefined,
): Candidate {
  const { providerId, name, serviceUrl } = provider
  const rate = score?.upload?.bytesPerSecond
  return {
    provider_id: providerId,
    eligible: isEligible,
    ...(ineligibleReason !== undefined && { ineligible_reason: ineligibleReason }),
    previously_used: wasUsed,
    provider_identity: { registry_provider_id: providerId, name, service_url: serviceUrl },
    ...(rate !== undefined && { upload_bytes_per_second: Math.round(rate) }),
    failing: score?.isFailing ?? false,
  }
}
