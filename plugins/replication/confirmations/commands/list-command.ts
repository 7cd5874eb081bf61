import { type AdminCall, formatTable, openAdminClient, showResult } from '#cli'
import { type Confirmation, listConfirmations } from '../confirmation-api.ts'

export async function run(call: AdminCall<unknown, { limit: number | undefined; watch: boolean }>): Promise<undefined> {
  const { limit } = call.flags
  const client = await openAdminClient(call)
  const query = { status: 'needs_attention' as const, ...(limit === undefined ? {} : { limit: String(limit) }) }
  await showResult(call, async () => {
    const entries = await client.call(listConfirmations, { query })
    const text = entries.length === 0 ? 'No storage confirmation needs an operator.' : formatTable(header, entries.map(toRow))
    return { value: entries, text }
  })
}

const header = ['copy id', 'bucket', 'key', 'piece cid', 'provider', 'attempt', 'tx', 'reason', 'attempted at']

const toRow = (entry: Confirmation): readonly string[] => [
  String(entry.copy_id),
  entry.bucket,
  entry.object_key ?? '-',
  entry.piece_cid ?? '-',
  entry.provider_id,
  entry.attempt_id,
  entry.transaction_id ?? '-',
  entry.reason_code,
  entry.attempted_at,
]
