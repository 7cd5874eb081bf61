import { type AdminCall, formatSize, formatTable, openAdminClient } from '#cli'
import { type Candidate, listCandidates } from '../api/replacement-api.ts'
import { readId } from './read-id-policy.ts'

export async function run(call: AdminCall<{ bucket: string; dataSet: string }>): Promise<undefined> {
  const { bucket, dataSet } = call.parameters
  const id = readId(dataSet, 'a data set id')
  const client = await openAdminClient(call)
  const answer = await client.call(listCandidates, { params: { name: bucket, id } })
  const { providers } = answer
  call.out.result(answer, providers.length === 0 ? 'No provider is available.' : formatTable(header, providers.map(toRow)))
}

const header = ['id', 'name', 'eligible', 'reason', 'used before', 'upload', 'note']

const reasons: Readonly<Record<NonNullable<Candidate['ineligible_reason']>, string>> = {
  current_source: 'is the one to replace',
  already_serves_bucket: 'serves this bucket already',
  blocked: 'is blocked',
  piece_too_large: 'refuses the largest pieces',
}

const toRow = (candidate: Candidate): readonly string[] => [
  candidate.provider_id,
  candidate.provider_identity.name,
  candidate.eligible ? 'yes' : 'no',
  candidate.ineligible_reason === undefined ? '' : reasons[candidate.ineligible_reason],
  candidate.previously_used ? 'yes, retired' : '',
  candidate.upload_bytes_per_second === undefined ? '' : `${formatSize(candidate.upload_bytes_per_second)}/s`,
  candidate.failing ? 'recent calls failed' : '',
]
