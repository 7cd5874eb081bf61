import { type AdminCall, openAdminClient } from '#cli'
import { changeTags, showS3Settings } from '../bucket-setting-api.ts'
import { tagsText } from './setting-text-policy.ts'
import { readTagChange, setTags, type TagFlags } from './tag-change-policy.ts'

export async function run(call: AdminCall<{ bucket: string }, TagFlags>): Promise<undefined> {
  const params = { name: call.parameters.bucket }
  const change = readTagChange(call.flags)
  const client = await openAdminClient(call)
  const { tags: current } = change?.isWhole ? { tags: [] } : await client.call(showS3Settings, { params })
  if (!change) return call.out.result({ tags: current }, tagsText(current)) as undefined
  const changed = await client.call(changeTags, { params, body: { tags: setTags(current, change) } })
  call.out.result(changed, `Tags changed\n${tagsText(changed.tags)}`)
}
