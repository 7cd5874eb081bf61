import { type AdminCall, type AdminClient, AdminRefusal, openAdminClient, usageError } from '#cli'
import { newUlid, systemClock } from '#kernel'
import { type CostEstimateAnswer, estimateEndpoint } from '#plugins/costs'
import { costPolicy } from '#plugins/wallet'
import { confirmReplacement } from '../api/replacement-api.ts'
import { estimateText } from './estimate-text-policy.ts'
import { readId } from './read-id-policy.ts'
import { needsOperator } from './replacement-text-policy.ts'
import { followReplacement } from './show-replacement.ts'

interface StartFlags {
  readonly provider: string | undefined
  readonly requestId: string | undefined
  readonly watch: boolean
}

export async function run(call: AdminCall<{ bucket: string; dataSet: string }, StartFlags>): Promise<number> {
  const { bucket, dataSet } = call.parameters
  const { provider, requestId } = call.flags
  const id = readId(dataSet, 'a data set id')
  if (provider !== undefined && !/^\d+$/.test(provider)) throw usageError(`"${provider}" is not a provider id`)
  const client = await openAdminClient(call)
  const estimate = await readEstimate(client, Number(id))
  if (estimate) call.out.note(estimateText(estimate, await costPolicy()))
  const client_request_id = requestId ?? `cli-${newUlid(systemClock.now())}`
  // Before the request: its answer may be lost.
  if (requestId === undefined)
    call.out.note(`Request ${client_request_id}. If this command is interrupted, repeat it with --request-id ${client_request_id}`)
  const confirming = estimate ? client.withPrices(estimate.price_fingerprint) : client
  const known = await confirming.call(confirmReplacement, {
    params: { name: bucket, id },
    body: {
      client_request_id,
      mode: provider === undefined ? 'automatic' : 'manual',
      ...(provider !== undefined && { provider_id: provider }),
    },
  })
  const last = await followReplacement(call, client, { id: String(known.id), known })
  return last && needsOperator(last) ? 1 : 0
}

/** Returns undefined while the plugin costs is disabled, and for an unknown data set. Nothing is confirmed while the prices cannot be read. */
async function readEstimate(client: AdminClient, data_set_id: number): Promise<CostEstimateAnswer | undefined> {
  try {
    return await client.call(await estimateEndpoint(), { body: { kind: 'replacement', data_set_id } })
  } catch (error) {
    if (error instanceof AdminRefusal && skipped.has(error.code ?? '')) return undefined
    throw error
  }
}

/** The confirmation answers what concerns the data set. */
const skipped: ReadonlySet<string> = new Set(['plugin_disabled', 'data_set_not_found'])
