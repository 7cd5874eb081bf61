import { type AdminCall, formatTable, openAdminClient, showResult } from '#cli'
import { formatUsdfc } from '../chain/usdfc-amount-policy.ts'
import { listOperations, type WalletOperation } from '../operations/operations-api.ts'

export async function run(call: AdminCall<unknown, { readonly limit: number | undefined; readonly watch: boolean }>): Promise<undefined> {
  const { limit } = call.flags
  const client = await openAdminClient(call)
  const query = limit === undefined ? {} : { limit: String(limit) }
  await showResult(call, async () => {
    const page = await client.call(listOperations, { query })
    const { operations } = page
    return { value: page, text: operations.length === 0 ? 'No wallet operations found.' : formatTable(header, operations.map(toRow)) }
  })
}

const header = ['id', 'type', 'usdfc', 'status', 'created', 'transaction', 'details']

const toRow = ({ id, type, amount, status, created_at, tx_hash = '', last_error = '' }: WalletOperation): readonly string[] => [
  String(id),
  type,
  type === 'approve' ? '' : formatUsdfc(BigInt(amount)),
  status,
  created_at,
  tx_hash,
  last_error,
]
