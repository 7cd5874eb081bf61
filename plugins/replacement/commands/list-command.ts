import { type AdminCall, formatTable, openAdminClient, showResult } from '#cli'
import type { ReplacementAnswer } from '../api/record-api.ts'
import { listReplacements } from '../api/replacement-api.ts'
import { progressText } from './replacement-text-policy.ts'

interface ListFlags {
  readonly status: ReplacementAnswer['status'] | undefined
  readonly bucket: string | undefined
  readonly limit: number | undefined
  readonly cursor: number | undefined
  readonly watch: boolean
}

export async function run(call: AdminCall<unknown, ListFlags>): Promise<undefined> {
  const { status, bucket, limit, cursor } = call.flags
  const client = await openAdminClient(call)
  const query = {
    ...(status !== undefined && { status }),
    ...(bucket !== undefined && { bucket }),
    ...(limit !== undefined && { limit: String(limit) }),
    ...(cursor !== undefined && { cursor: String(cursor) }),
  }
  await showResult(call, async () => {
    const page = await client.call(listReplacements, { query })
    const { replacements, next_cursor } = page
    if (replacements.length === 0) return { value: page, text: 'No replacements found.' }
    const more = next_cursor === undefined ? [] : [`More: --cursor ${next_cursor}`]
    return { value: page, text: [formatTable(header, replacements.map(toRow)), ...more].join('\n') }
  })
}

const header = ['id', 'bucket', 'replica', 'status', 'from', 'to', 'progress', 'updated', 'details']

const toRow = (record: ReplacementAnswer): readonly string[] => [
  String(record.id),
  record.bucket_name,
  String(record.copy_index),
  record.status,
  record.source.provider_id,
  record.target.provider_id,
  progressText(record.progress),
  record.updated_at,
  record.wait_message ?? record.last_error ?? '',
]
