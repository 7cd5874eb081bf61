import { type AdminCall, formatFacts, openAdminClient } from '#cli'
import { type ObjectProof, type ProvenCopy, proveObject } from '../proof/proof-api.ts'

export async function run(
  call: AdminCall<{ bucket: string; key: string }, { readonly versionId: string | undefined }>,
): Promise<undefined> {
  const { bucket, key } = call.parameters
  const { versionId } = call.flags
  const client = await openAdminClient(call)
  const query = { key, ...(versionId === undefined ? {} : { version_id: versionId }) }
  const proof = await client.call(proveObject, { params: { name: bucket }, query })
  call.out.result(proof, showProof(proof))
}

function showProof(proof: ObjectProof): string {
  const head = formatFacts([
    ['Version', proof.version_id],
    ['Size', `${proof.size} bytes`],
    ['Network', `${proof.network} (chain ${proof.chain_id})`],
    ['Payer', proof.payer],
    ['Issued', proof.issued_at],
  ])
  return [head, ...proof.copies.map(showCopy)].join('\n\n')
}

function showCopy(copy: ProvenCopy): string {
  const missed = copy.history.filter(({ proven }) => !proven).length
  return [
    formatFacts([
      [
        'Copy',
        `${copy.copy_index}${copy.part > 0 ? `, part ${copy.part}` : ''}: ${copy.status}${copy.counts ? '' : ', does not count as durable'}`,
      ],
      ['Provider', `${copy.provider_id}${copy.provider_name ? ` (${copy.provider_name})` : ''}`],
      ['Data set', copy.data_set_id],
      ['Piece', copy.piece_id],
      ['Piece CID', copy.piece_cid],
      ['Transaction', copy.transaction],
      ['Last proof', copy.last_proven_at],
      ['Next due', copy.next_due_at],
      ['History', copy.history.length === 0 ? undefined : `${copy.history.length - missed} of ${copy.history.length} periods proven`],
      ['Last read', copy.last_read && `${copy.last_read.result} at ${copy.last_read.at}`],
    ]),
    ...copy.verify.map(
      (call) =>
        `  ${call.shows}\n    cast call ${call.contract} '${call.function}' ${call.arguments.join(' ')}${call.expected ? `  # ${call.expected}` : ''}`,
    ),
  ].join('\n')
}
