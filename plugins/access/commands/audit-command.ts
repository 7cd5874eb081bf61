import { type AdminCall, formatTable, onOneLine, openAdminClient } from '#cli'
import { type AuditEntry, listAudit } from '../audit/audit-api.ts'

interface AuditFlags {
  readonly what: AuditEntry['what'] | undefined
  readonly outcome: AuditEntry['outcome'] | undefined
  readonly who: string | undefined
  readonly route: string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
  readonly limit: number | undefined
  readonly cursor: number | undefined
}

export async function run(call: AdminCall<unknown, AuditFlags>): Promise<undefined> {
  const { what, outcome, who, route, from, to, limit, cursor } = call.flags
  const client = await openAdminClient(call)
  const page = await client.call(listAudit, {
    query: {
      ...(what !== undefined && { what }),
      ...(outcome !== undefined && { outcome }),
      ...(who !== undefined && { who }),
      ...(route !== undefined && { route }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(limit !== undefined && { limit: String(limit) }),
      ...(cursor !== undefined && { cursor: String(cursor) }),
    },
  })
  const table = page.lines.length === 0 ? 'No lines found.' : formatTable(header, page.lines.map(toRow))
  const more = page.next_cursor === undefined ? [] : [`More: --cursor ${page.next_cursor}`]
  call.out.result(page, [table, ...more].join('\n'))
}

const header = ['time', 'who', 'what', 'outcome', 'client', 'subject']

function toRow({ at, who = '-', what, method, route, outcome, status, client, subject }: AuditEntry): readonly string[] {
  const named = Object.entries(subject).map(([name, value]) => `${name}=${value}`)
  return [
    ...[at, who, method === undefined ? what : `${method} ${route ?? ''}`],
    ...[status === undefined ? outcome : `${outcome} (${status})`, client, onOneLine(named.join(' '))],
  ]
}
